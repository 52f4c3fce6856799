"""Reading and writing: MPI_File_read, MPI_File_iwrite_at_all and related functions. MPI 4.1, section 14.4.

The functions differ in the file pointer they use (the rank's own, the shared one, none), in whether all ranks take
part, and in when they return. The real bytes are transferred when a call begins; then the time from
`pysmpi.simulation.mpi.storage` passes. The shared pointer is kept by the file system, which moves it when it receives
the access, so no message is sent for it. For accesses in rank order the ranks first agree on their positions (a gather
and a scatter of 8 bytes each).

The rank's own pointer advances by the etypes that were read or written; past the end of the file, the MPI library that
is followed may advance it by those asked for. The shared pointer advances by the requested etypes when the call begins,
because other ranks may use it before the call ends.
"""

import itertools
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi.bindings import MpiError, check, mpi_function
from pysmpi.simulation.mpi.communicator import enter
from pysmpi.simulation.mpi.constants import (
    ERR_ACCESS,
    ERR_ARG,
    ERR_BUFFER,
    ERR_COUNT,
    ERR_IO,
    ERR_OTHER,
    ERR_READ_ONLY,
    ERR_UNSUPPORTED_OPERATION,
)
from pysmpi.simulation.mpi.file import File, OfRank, Split, agree, failing_as, find_file
from pysmpi.simulation.mpi.file_datatypes import check_type
from pysmpi.simulation.mpi.file_errors import file_error
from pysmpi.simulation.mpi.file_opening import RDONLY, SEQUENTIAL, WRONLY
from pysmpi.simulation.mpi.view import View
from pysmpi.simulation.settings.mpi_libraries.followed import followed

__all__: list[str] = []

_WRITE, _AT, _SHARED, _ORDERED = (
    lib.PYSMPI_FILE_WRITE,
    lib.PYSMPI_FILE_AT,
    lib.PYSMPI_FILE_SHARED,
    lib.PYSMPI_FILE_ORDERED,
)
_COLLECTIVE, _NONBLOCKING, _SPLIT = lib.PYSMPI_FILE_COLLECTIVE, lib.PYSMPI_FILE_NONBLOCKING, lib.PYSMPI_FILE_SPLIT


def _check_elements(buffer: Any, count: int, datatype: int) -> None:
    if count < 0:
        raise MpiError(ERR_COUNT, f"negative count {count}")
    check_type(datatype, "datatype")
    fault = lib.pysmpi_buffer_fault(buffer, count, datatype)
    if fault != ffi.NULL:
        raise MpiError(ERR_BUFFER, f"the buffer {ffi.string(fault).decode()}")


def _check(file: File, mine: OfRank, how: int, offset: int) -> None:
    if how & _WRITE and file.amode & RDONLY:
        raise MpiError(ERR_READ_ONLY, f"{file.path} was opened with MPI_MODE_RDONLY; it cannot be written")
    if not how & _WRITE and file.amode & WRONLY:
        raise MpiError(ERR_ACCESS, f"{file.path} was opened with MPI_MODE_WRONLY; it cannot be read")
    if file.amode & SEQUENTIAL and not how & (_SHARED | _ORDERED):
        raise MpiError(
            ERR_UNSUPPORTED_OPERATION,
            f"{file.path} was opened with MPI_MODE_SEQUENTIAL, which allows only the shared file pointer",
        )
    if how & _AT and offset < 0:
        raise MpiError(ERR_ARG, f"negative offset {offset}")
    if how & _COLLECTIVE and mine.split is not None:
        raise MpiError(ERR_OTHER, f"{file.path}: a split collective access is still in progress")


def _etypes(mine: OfRank, count: int, datatype: int) -> int:
    etype = mine.view.etype_size
    asked = count * int(lib.pysmpi_datatype_size(datatype))
    if asked % etype != 0:
        raise MpiError(ERR_IO, f"{asked} bytes are not a whole number of etypes of {etype} bytes")
    if asked > 0 and lib.pysmpi_datatype_size(mine.view.filetype) == 0:
        raise MpiError(ERR_IO, "the filetype of the view has no data")
    return asked // etype


def _position(file: File, mine: OfRank, how: int, offset: int, etypes: int) -> int:
    """Return the position, in etypes, at which the access starts. An access at the shared pointer advances this
    pointer."""
    if how & _AT:
        return offset
    if how & _SHARED:
        position = file.shared_position
        file.shared_position += etypes
        return position
    if not how & _ORDERED:
        return mine.position

    def decide(given: dict[int, int]) -> dict[int, int]:
        ranks = file.communicator.members.world_ranks
        ends = list(itertools.accumulate((given[rank] for rank in ranks), initial=file.shared_position))
        file.shared_position = ends.pop()
        return dict(zip(ranks, ends, strict=True))

    places: dict[int, int] = agree(file.communicator, etypes, 8, decide)
    return places[max(int(lib.pysmpi_running_rank()), 0)]


def _advances_fully(view: View, how: int) -> bool:
    """Return whether the access moves the rank's own pointer by all etypes that it asks for, even if the file ends
    before."""
    kind = "contiguous" if lib.pysmpi_datatype_is_contiguous(view.filetype) else "strided"
    kinds = followed().behaviour.reads_past_end_advance
    return kind in kinds or (how & _NONBLOCKING != 0 and "nonblocking" in kinds)


@mpi_function("File_access")
def file_access(
    handle: int,
    function: Any,
    how: int,
    offset: int,
    buffer: Any,
    count: int,
    datatype: int,
    moved: Any,
    request: Any,
) -> None:
    """Perform any kind of access to a file, or begin a split collective access."""
    with failing_as(handle, ffi.string(function)):
        file = find_file(handle)
        mine = file.mine()
        _check_elements(buffer, count, datatype)
        _check(file, mine, how, offset)
        if how & _COLLECTIVE:
            enter(file.communicator)
        etypes = _etypes(mine, count, datatype)
        position = _position(file, mine, how, offset, etypes)
        view, place = mine.view, mine.place
        writes = how & _WRITE
        move = lib.pysmpi_write_file if writes else lib.pysmpi_read_file
        begin, layout = position * view.etype_bytes, view.layout
        done = int(move(file.descriptor, view.displacement, layout, begin, buffer, count, datatype, view.external))
        if done < 0:
            raise file_error(-done, file.path)
        if not how & (_AT | _SHARED | _ORDERED):
            mine.position += etypes if _advances_fully(view, how) else done // view.etype_size
        moved[0] = done
        if how & _NONBLOCKING:
            request[0] = lib.pysmpi_begin_access(place.disk, place.host, writes, done, done)
        elif how & _SPLIT:
            mine.split = Split(how, lib.pysmpi_begin_access(place.disk, place.host, writes, done, done), done)
        else:
            check(int(lib.pysmpi_finish_access(place.disk, place.host, writes, done, function)))


@mpi_function("File_access_end")
def file_access_end(handle: int, function: Any, how: int, moved: Any) -> None:
    """End the running rank's split collective access.

    It fails unless such an access is in progress, of the kind `how` (MPI_File_read_all_end ends only
    MPI_File_read_all_begin).
    """
    with failing_as(handle, ffi.string(function)):
        file = find_file(handle)
        split = file.mine().split
        if split is None or split.how != how:
            begun = "another kind of split collective access" if split else "no split collective access"
            raise MpiError(ERR_OTHER, f"{file.path}: {begun} is in progress")
        enter(file.communicator)
        file.mine().split = None
        moved[0] = split.moved
        check(int(lib.pysmpi_wait_access(split.request, function)))
