"""Size of a file, and its settings: access mode, hints, atomicity. MPI 4.1, sections 14.2 and 14.6."""

import os
from typing import Any

from pysmpi.simulation.mpi.bindings import MpiError
from pysmpi.simulation.mpi.constants import ERR_ARG, ERR_NOT_SAME, ERR_READ_ONLY
from pysmpi.simulation.mpi.file import File, agree, file_function
from pysmpi.simulation.mpi.file_opening import RDONLY
from pysmpi.simulation.mpi.group import add_group
from pysmpi.simulation.mpi.info import add_info, copy_info
from pysmpi.simulation.mpi.storage import operate

__all__: list[str] = []


def _resize(file: File, size: int, function: bytes, *, shrink: bool) -> None:
    def decide(given: dict[int, int]) -> bool:
        if len(set(given.values())) > 1:
            raise MpiError(ERR_NOT_SAME, f"{file.path}: sizes differ between ranks: {sorted(set(given.values()))[:4]}")
        if shrink or file.size < size:
            os.ftruncate(file.descriptor, size)
        return True

    if size < 0:
        raise MpiError(ERR_ARG, f"{file.path}: negative size {size}")
    if file.amode & RDONLY:
        raise MpiError(ERR_READ_ONLY, f"{file.path} was opened with MPI_MODE_RDONLY; it cannot be resized")
    agree(file.communicator, size, 8, decide)
    operate(file.mine().place, function)


@file_function("File_set_size", collective=True)
def file_set_size(file: File, size: int) -> None:
    """Truncate or extend the file, without writing data."""
    _resize(file, size, b"MPI_File_set_size", shrink=True)


@file_function("File_preallocate", collective=True)
def file_preallocate(file: File, size: int) -> None:
    """Extend the file to at least `size` bytes. This takes as long as MPI_File_set_size, because no data is written."""
    _resize(file, size, b"MPI_File_preallocate", shrink=False)


@file_function("File_get_size")
def file_get_size(file: File, size: Any) -> None:
    """Return the current size in bytes; no time passes."""
    size[0] = file.size


@file_function("File_get_group")
def file_get_group(file: File, group: Any) -> None:
    """Return the group of ranks that have opened the file together."""
    group[0] = add_group(file.communicator.members)


@file_function("File_get_amode")
def file_get_amode(file: File, amode: Any) -> None:
    """Return the access mode with which the file was opened."""
    amode[0] = file.amode


@file_function("File_set_info", collective=True, waits=False)
def file_set_info(file: File, info: int) -> None:
    """Store hints, which do not affect the simulation."""
    file.mine().hints.update(copy_info(info))


@file_function("File_get_info")
def file_get_info(file: File, info: Any) -> None:
    """Return a new info object with the stored hints."""
    info[0] = add_info(dict(file.mine().hints))


@file_function("File_set_atomicity", collective=True)
def file_set_atomicity(file: File, flag: int) -> None:
    """Store the flag, which has no effect: all bytes of an access move at one instant, so each access is atomic."""
    file.mine().atomic = flag != 0


@file_function("File_get_atomicity")
def file_get_atomicity(file: File, flag: Any) -> None:
    """Return the stored flag; false by default."""
    flag[0] = file.mine().atomic


@file_function("File_sync", collective=True, waits=False)
def file_sync(file: File) -> None:
    """Wait for the latency of the file system. Nothing else is needed, because written data is in the file already."""
    operate(file.mine().place, b"MPI_File_sync")
