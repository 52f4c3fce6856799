"""File pointers: each rank's own, and the shared one. MPI 4.1, section 14.4."""

from typing import Any

from pysmpi.simulation.mpi.bindings import MpiError
from pysmpi.simulation.mpi.constants import ERR_ARG, ERR_NOT_SAME, ERR_UNSUPPORTED_OPERATION
from pysmpi.simulation.mpi.file import File, agree, file_function
from pysmpi.simulation.mpi.file_opening import SEQUENTIAL
from pysmpi.simulation.mpi.storage import operate

__all__: list[str] = []

_SET, _CURRENT, _END = 600, 602, 604


def _check_not_sequential(file: File) -> None:
    if file.amode & SEQUENTIAL:
        raise MpiError(
            ERR_UNSUPPORTED_OPERATION,
            f"{file.path} was opened with MPI_MODE_SEQUENTIAL, which allows only the shared file pointer",
        )


def _target(file: File, offset: int, whence: int, position: int) -> int:
    view = file.mine().view
    if whence == _SET:
        target = offset
    elif whence == _CURRENT:
        target = position + offset
    elif whence == _END:
        target = view.end(file.size) + offset
    else:
        raise MpiError(ERR_ARG, f"invalid whence {whence}; valid: MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END")
    if target < 0:
        raise MpiError(ERR_ARG, f"{file.path}: position {target} lies before the beginning of the view")
    return target


@file_function("File_seek")
def file_seek(file: File, offset: int, whence: int) -> None:
    """Move the rank's own pointer. No time passes."""
    _check_not_sequential(file)
    mine = file.mine()
    mine.position = _target(file, offset, whence, mine.position)


@file_function("File_get_position")
def file_get_position(file: File, offset: Any) -> None:
    """Return the position of the rank's own pointer, in etypes."""
    _check_not_sequential(file)
    offset[0] = file.mine().position


@file_function("File_seek_shared", collective=True)
def file_seek_shared(file: File, offset: int, whence: int) -> None:
    """Move the shared pointer; all ranks pass the same values."""

    def decide(given: dict[int, tuple[int, int]]) -> bool:
        if len(set(given.values())) > 1:
            raise MpiError(ERR_NOT_SAME, f"{file.path}: offsets or whences differ between ranks")
        file.shared_position = _target(file, offset, whence, file.shared_position)
        return True

    agree(file.communicator, (offset, whence), 16, decide)


@file_function("File_get_position_shared")
def file_get_position_shared(file: File, offset: Any) -> None:
    """Return the position of the shared pointer, in etypes; the file system keeps it."""
    operate(file.mine().place, b"MPI_File_get_position_shared")
    offset[0] = file.shared_position
