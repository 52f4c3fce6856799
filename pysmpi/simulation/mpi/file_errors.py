"""MPI's error classes for errors of the operating system on files."""

import errno
import os

from pysmpi.simulation.mpi.bindings import MpiError
from pysmpi.simulation.mpi.constants import (
    ERR_ACCESS,
    ERR_BAD_FILE,
    ERR_CONVERSION,
    ERR_FILE_EXISTS,
    ERR_FILE_IN_USE,
    ERR_IO,
    ERR_NO_MEM,
    ERR_NO_SPACE,
    ERR_NO_SUCH_FILE,
    ERR_QUOTA,
    ERR_READ_ONLY,
)
from pysmpi.util.open_files import hint

__all__ = ["file_error"]

_CLASSES = {
    errno.ENOENT: ERR_NO_SUCH_FILE,
    errno.EEXIST: ERR_FILE_EXISTS,
    errno.EACCES: ERR_ACCESS,
    errno.EPERM: ERR_ACCESS,
    errno.EROFS: ERR_READ_ONLY,
    errno.ENOTDIR: ERR_BAD_FILE,
    errno.EISDIR: ERR_BAD_FILE,
    errno.ENAMETOOLONG: ERR_BAD_FILE,
    errno.ELOOP: ERR_BAD_FILE,
    errno.EBUSY: ERR_FILE_IN_USE,
    errno.ETXTBSY: ERR_FILE_IN_USE,
    errno.ENOSPC: ERR_NO_SPACE,
    errno.EDQUOT: ERR_QUOTA,
    errno.ENOMEM: ERR_NO_MEM,
}


def file_error(number: int, path: str) -> MpiError:
    """Return the MPI error for an errno of an operation on a file.

    The errno EDOM means that a number does not fit into the representation external32.
    """
    if number == errno.EDOM:
        text = f"{path}: a number does not fit its type in memory or in external32, whose sizes differ"
        return MpiError(ERR_CONVERSION, text)
    more = f"; {hint()}" if number == errno.EMFILE else ""
    return MpiError(_CLASSES.get(number, ERR_IO), f"{path}: {os.strerror(number)}{more}")
