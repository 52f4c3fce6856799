"""Opening, closing and deleting files. MPI 4.1, section 14.2."""

import os
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi import unfreed_objects
from pysmpi.simulation.mpi.bindings import MpiError, mpi_function, running_rank
from pysmpi.simulation.mpi.communicator import Communicator, enter, find_communicator, free, join, next_creation
from pysmpi.simulation.mpi.constants import ERR_AMODE, ERR_COMM, ERR_NOT_SAME, ERR_OTHER, ERRORS_RETURN, FILE_NULL
from pysmpi.simulation.mpi.file import File, OfRank, add_file, agree, failing_as, find_file, remove_file
from pysmpi.simulation.mpi.info import copy_info
from pysmpi.simulation.mpi.storage import Place, absolute, operate, place_of

__all__ = ["RDONLY", "SEQUENTIAL", "WRONLY"]

CREATE, RDONLY, WRONLY, RDWR, DELETE_ON_CLOSE = 1, 2, 4, 8, 16
UNIQUE_OPEN, EXCL, APPEND, SEQUENTIAL = 32, 64, 128, 256
_ACCESS = {RDONLY: os.O_RDONLY, WRONLY: os.O_WRONLY, RDWR: os.O_RDWR}
_ALL = CREATE | RDONLY | WRONLY | RDWR | DELETE_ON_CLOSE | UNIQUE_OPEN | EXCL | APPEND | SEQUENTIAL


def _check_amode(amode: int) -> None:
    why = ""
    if amode & ~_ALL:
        why = f"has unknown bits ({amode & ~_ALL:#x})"
    elif amode & (RDONLY | WRONLY | RDWR) not in _ACCESS:
        why = "needs one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"
    elif amode & RDONLY and amode & (CREATE | EXCL):
        why = "combines MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL, which is not allowed"
    elif amode & RDWR and amode & SEQUENTIAL:
        why = "combines MPI_MODE_SEQUENTIAL with MPI_MODE_RDWR, which is not allowed"
    if why:
        raise MpiError(ERR_AMODE, f"the access mode {amode:#x} {why}")


def _open_real(path: str, amode: int) -> int:
    flags = _ACCESS[amode & (RDONLY | WRONLY | RDWR)] | os.O_CLOEXEC
    flags |= os.O_CREAT if amode & CREATE else 0
    flags |= os.O_EXCL if amode & EXCL else 0
    return os.open(path, flags, 0o666)


@mpi_function("File_open")
def file_open(comm: int, name: Any, amode: int, info: int, file: Any) -> None:
    """Open a file on all ranks of a communicator, which pass the same name and mode.

    One real descriptor serves all ranks. The name is that of the first rank, in its working directory; the names that
    other ranks pass must resolve to the same file.
    """
    with failing_as(FILE_NULL):
        parent = find_communicator(comm)
        if parent.remote is not None:
            raise MpiError(ERR_COMM, "an intercommunicator cannot open a file; pass an intracommunicator")
        path = absolute(ffi.string(name))
        hints = copy_info(info)
        communicator = join(("file", *next_creation(parent)), parent.members, comm)
        lib.pysmpi_set_error_handler(communicator.handle, ERRORS_RETURN)
        lib.pysmpi_communicator_set_title(communicator.handle, b"the file " + ffi.string(name))
        try:
            opened, place, position = _open_together(communicator, path, amode)
            operate(place, b"MPI_File_open")
        except BaseException:
            free(communicator)
            raise
        opened.of_ranks[running_rank()] = OfRank(place, hints, position=position)
        lib.pysmpi_inherit_file_error_handler(opened.handle)
    file[0] = opened.handle
    unfreed_objects.made("file", opened.handle)


def _open_together(communicator: Communicator, path: str, amode: int) -> tuple[File, Place, int]:
    """Open the file once for all ranks of the communicator, which must agree on its name and access mode.

    Return the file, its location as seen from the running rank, and the initial position of the file pointers.
    """

    def decide(given: dict[int, tuple[str, int, MpiError | None]]) -> tuple[File, int]:
        for _, _, error in given.values():
            if error is not None:
                raise error
        paths, amodes = {each[0] for each in given.values()}, {each[1] for each in given.values()}
        if len(amodes) > 1:
            raise MpiError(ERR_NOT_SAME, f"access modes differ between ranks: {', '.join(map(hex, sorted(amodes)))}")
        _check_amode(amode)
        if len({os.path.realpath(each) for each in paths}) > 1:
            raise MpiError(ERR_NOT_SAME, f"file names differ between ranks: {', '.join(sorted(paths)[:4])}")
        opened = add_file(path, amode, _open_real(path, amode), communicator)
        if amode & APPEND:
            opened.shared_position = opened.size
        return opened, opened.shared_position

    unreachable = None
    try:
        place = place_of(path)
    except MpiError as error:
        unreachable = error
    opened, position = agree(communicator, (path, amode, unreachable), 8, decide)
    return opened, place, position


@mpi_function("File_close")
def file_close(file: Any) -> None:
    """Close the file on all its ranks, and delete it if it was opened with MPI_MODE_DELETE_ON_CLOSE."""
    with failing_as(file[0]):
        opened = find_file(file[0])
        mine = opened.mine()
        if mine.split is not None:
            raise MpiError(ERR_OTHER, f"{opened.path}: a split collective access is still in progress")
        enter(opened.communicator)

        def decide(_: dict[int, Any]) -> bool:
            if opened.amode & DELETE_ON_CLOSE:
                os.unlink(opened.path)
            return True

        communicator = opened.communicator
        try:
            agree(communicator, None, 1, decide)
            operate(mine.place, b"MPI_File_close")
        finally:  # the file is closed even if it could not be deleted
            mine.view.release()
            del opened.of_ranks[running_rank()]
            if not opened.of_ranks:
                remove_file(opened)
            free(communicator)
            lib.pysmpi_forget_error_handler(opened.handle)
            unfreed_objects.freed("file", opened.handle)
            file[0] = FILE_NULL


@mpi_function("File_delete")
def file_delete(name: Any, info: int) -> None:
    """Delete a file; hints have no effect."""
    with failing_as(FILE_NULL):
        copy_info(info)
        path = absolute(ffi.string(name))
        operate(place_of(path), b"MPI_File_delete")
        os.unlink(path)
