"""Safe reading of files in a directory that somebody else may have created: no symbolic links, no devices."""

import os
import stat
from pathlib import Path

__all__ = ["names_of", "read_own"]


def read_own(folder: Path, *names: str) -> bytes:
    """Return the contents of a regular file inside a directory, reached without symbolic links below the directory.

    Args:
        folder: the directory.
        names: names of the folders below it, then of the file.

    Raises:
        OSError: the file cannot be read, or a name is a symbolic link, or the file is not a regular one.
    """
    path = folder
    for name in names:
        path /= name
        if path.is_symlink():
            raise OSError(0, "is a symbolic link, which is not followed", str(path))
    with open(path, "rb", opener=_opener) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, "is not a regular file", str(path))
        return file.read()


def names_of(folder: Path) -> list[str]:
    """Return the names in a directory in order, or an empty list if it does not exist or is a symbolic link."""
    return sorted(os.listdir(folder)) if folder.is_dir() and not folder.is_symlink() else []


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
