"""Writing of files that appear complete or not at all."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["NewFile", "whole_file", "write_whole"]

_DEVICES = ("/dev", "/dev/fd", "/proc/self/fd")


class NewFile:
    """File that is written under the name `partial`, and renamed to its target when complete.

    The partial file is created with a random name and never through a symbolic link, so neither another run with the
    same target nor a link that somebody has placed in the folder is written to. Devices and pipes, such as
    ``/dev/stdout``, are written to directly. If the process is killed, a file with the ending ``.part`` remains.

    Args:
        path: the target; a regular file or a symbolic link there is replaced.

    Attributes:
        target: path of the target.
        partial: path of the file to write.

    Raises:
        OSError: the file cannot be created.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.target = Path(path)
        self._in_place = _is_special(self.target)
        self.partial = self.target
        if not self._in_place:
            self.partial = self.target.parent / f"{self.target.name[:50]}.{secrets.token_hex(4)}.part"
            os.close(os.open(self.partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666))

    def keep(self) -> None:
        """Replace the target by the complete file.

        Raises:
            OSError: the file cannot be renamed.
        """
        if not self._in_place:
            os.replace(self.partial, self.target)

    def is_left(self) -> bool:
        """Return whether the partial file exists beside the target."""
        return not self._in_place and self.partial.exists()

    def discard(self) -> None:
        """Remove the partial file, if it has not been renamed."""
        if not self._in_place:
            with contextlib.suppress(OSError):
                self.partial.unlink()


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block ends, unless an error ends it.

    Raises:
        OSError: the file cannot be written; no partial file is left.
    """
    new = NewFile(path)
    try:
        with open(new.partial, "wb") as file:
            yield file
            file.flush()
            if not _is_special(new.partial):
                os.fsync(file.fileno())
        new.keep()
    except BaseException:
        new.discard()
        raise


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file atomically: readers see either the old contents or all of the new contents.

    Raises:
        OSError: the file cannot be written; no partial file is left.
    """
    with whole_file(path) as file:
        file.write(content)


def _is_special(path: Path) -> bool:
    """Return whether a path names a device or a pipe, or a descriptor of the process."""
    if str(path.absolute().parent) in _DEVICES:
        return True
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode))
    return False
