"""What ranks print, in a file for each of them: ``DIRECTORY/rank-3.out`` and ``rank-3.err``."""

import os
import pathlib
import re
import secrets
import shutil
from collections import OrderedDict

from pysmpi.errors import LaunchError

__all__ = ["RankFiles", "make_directory"]

_MOST_OPEN = 64  # of thousands; a process may have 1,024 files open on many systems
_NAME = re.compile(r"rank-\d+\.(out|err)")


def make_directory(path: str | os.PathLike[str], ranks: int) -> None:
    """Makes the directory with an empty file for each rank and stream, all at once; an earlier run's files are gone.

    Raises:
        LaunchError: it holds something else, or cannot be made.
    """
    directory = pathlib.Path(path)
    new, old = (directory.absolute().with_name(f".{directory.name}.{secrets.token_hex(4)}") for _ in range(2))
    try:
        if directory.exists():
            foreign = [] if directory.is_dir() else [directory.name]
            foreign = foreign or [name for name in os.listdir(directory) if not _NAME.fullmatch(name)]
            if foreign:
                raise LaunchError(
                    f"--rank-stdout {path}: there is {min(foreign)!r} already; valid is a directory that holds nothing "
                    "but the files of an earlier run, or a new one"
                )
        new.mkdir(parents=True)
        for rank in range(ranks):
            for suffix in ("out", "err"):
                os.close(os.open(new / f"rank-{rank}.{suffix}", os.O_CREAT | os.O_WRONLY, 0o666))
        if directory.exists():
            directory.rename(old)
        new.rename(directory)
    except OSError as error:
        raise LaunchError(f"--rank-stdout {path}: it cannot be made: {error.strerror}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


class RankFiles:
    """The files of one stream. What is written is with the operating system at once, and stays if this process crashes.

    Args:
        directory: where they are.
        suffix: of their names.
    """

    def __init__(self, directory: str | os.PathLike[str], suffix: str) -> None:
        self._directory = os.path.abspath(directory)
        self._suffix = suffix
        self._open: OrderedDict[int, int] = OrderedDict()  # file descriptors by rank, that used last at the end
        self._lent: dict[int, int] = {}  # those that ranks have asked for

    def write(self, rank: int, content: bytes) -> None:
        """Appends to the rank's file."""
        descriptor = self._descriptor(rank)
        while content:
            content = content[os.write(descriptor, content) :]

    def fileno(self, rank: int) -> int:
        """A file descriptor that stays open, as a program needs to give the file to others."""
        if rank not in self._lent:
            self._lent[rank] = self._open_file(rank)
        return self._lent[rank]

    def close(self) -> None:
        """Closes them all."""
        for descriptor in [*self._open.values(), *self._lent.values()]:
            os.close(descriptor)
        self._open.clear()
        self._lent.clear()

    def _descriptor(self, rank: int) -> int:
        found = self._open.pop(rank, None)
        if found is None:
            found = self._open_file(rank)
            if len(self._open) >= _MOST_OPEN:
                os.close(self._open.popitem(last=False)[1])
        self._open[rank] = found
        return found

    def _open_file(self, rank: int) -> int:
        path = os.path.join(self._directory, f"rank-{rank}.{self._suffix}")
        return os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC, 0o666)
