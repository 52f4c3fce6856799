"""Search for the files that a platform file names, such as included files and profiles."""

import os
import stat
from typing import BinaryIO

from pysmpi.errors import PlatformError

__all__ = ["find", "open_regular"]


def find(name: str, folder: str) -> str:
    """Return the path of a file named in a platform file, searched for in ``folder``, then in the working directory.

    Raises:
        PlatformError: the file does not exist.
    """
    beside = os.path.join(folder, name)
    for path in (beside, name):
        if os.path.exists(path):
            return path
    where = "" if os.path.isabs(name) else f", neither in {folder or os.curdir!r} nor in the working directory"
    raise PlatformError(f"there is no file {name!r}{where}")


def open_regular(path: str) -> BinaryIO:
    """Open a file for reading. Pipes and devices, which may be endless, are refused.

    Raises:
        PlatformError: the file cannot be opened or is not a regular file.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise PlatformError(f"{path!r} is not a regular file")
        return open(path, "rb")
    except OSError as error:
        raise PlatformError(f"cannot read {path!r}: {error.strerror}") from None
