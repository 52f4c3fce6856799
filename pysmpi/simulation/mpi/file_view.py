"""Setting and querying views, and data representations. MPI 4.1, sections 14.3 and 14.5.

"internal" is the same as "native". Representations that a program registers are known by name, but setting a view with
one fails with MPI_ERR_UNSUPPORTED_DATAREP. "external32" fails with the same error if the filetype has holes and
contains types that have another size in external32 (MPI_LONG, MPI_WCHAR).
"""

from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi.bindings import MpiError, mpi_function, running_rank
from pysmpi.simulation.mpi.constants import (
    ERR_ARG,
    ERR_DUP_DATAREP,
    ERR_NOT_SAME,
    ERR_UNSUPPORTED_DATAREP,
    FILE_NULL,
)
from pysmpi.simulation.mpi.file import File, agree, failing_as, file_function
from pysmpi.simulation.mpi.file_datatypes import check_type
from pysmpi.simulation.mpi.file_opening import RDONLY, SEQUENTIAL
from pysmpi.simulation.mpi.info import copy_info
from pysmpi.simulation.mpi.view import View

__all__ = ["reset_representations"]

_DISPLACEMENT_CURRENT = -54278278
_BUILT_IN = ("native", "internal", "external32")
_MAX_DATAREP_STRING = 128

_registered: dict[int, set[str]] = {}  # names of registered data representations, by rank


def reset_representations() -> None:
    """Discard the data representations that ranks have registered."""
    for rank in [rank for rank in _registered if rank >= 0]:
        del _registered[rank]


def _check_representation(name: str, filetype: int) -> None:
    if name not in _BUILT_IN:
        registered = name in _registered.get(running_rank(), ())
        why = (
            "was registered by the program, but pysmpi does not support conversion functions"
            if registered
            else "is unknown"
        )
        raise MpiError(ERR_UNSUPPORTED_DATAREP, f"representation {name!r} {why}; valid: {', '.join(_BUILT_IN)}")
    if name == "external32" and not lib.pysmpi_datatype_is_contiguous(filetype):
        here, there = lib.pysmpi_datatype_size(filetype), lib.pysmpi_datatype_external_size(filetype)
        if here != there:
            raise MpiError(
                ERR_UNSUPPORTED_DATAREP,
                f"unsupported filetype: it has holes, and its data takes {there} bytes in external32 instead of {here}",
            )


def _check_filetype(file: File, etype: int, filetype: int) -> None:
    check_type(etype, "etype")
    check_type(filetype, "filetype")
    sizes = [int(lib.pysmpi_datatype_size(handle)) for handle in (etype, filetype)]
    if sizes[0] == 0 or sizes[1] % sizes[0] != 0:
        raise MpiError(ERR_ARG, f"the filetype's {sizes[1]} bytes are not a whole number of etypes of {sizes[0]} bytes")
    apart = not file.amode & RDONLY
    if not lib.pysmpi_is_filetype(filetype, apart):
        overlaps = ", and must not overlap where the file can be written" if apart else ""
        raise MpiError(ERR_ARG, f"invalid filetype: its pieces must lie at ascending displacements from 0 on{overlaps}")


@file_function("File_set_view", collective=True)
def file_set_view(file: File, displacement: int, etype: int, filetype: int, name: Any, info: int) -> None:
    """Set the view of the running rank; its own pointer and the shared one move to the beginning of the view."""
    mine = file.mine()
    if displacement == _DISPLACEMENT_CURRENT:
        if not file.amode & SEQUENTIAL:
            raise MpiError(ERR_ARG, "MPI_DISPLACEMENT_CURRENT is valid only for files opened with MPI_MODE_SEQUENTIAL")
        displacement = mine.view.offset(file.shared_position)
    if displacement < 0:
        raise MpiError(ERR_ARG, f"negative displacement {displacement}")
    _check_filetype(file, etype, filetype)
    representation: str = ffi.string(name).decode(errors="replace")
    _check_representation(representation, filetype)
    mine.hints.update(copy_info(info))
    view = View(displacement, etype, filetype, representation)

    def decide(given: dict[int, tuple[str, int]]) -> bool:
        if len(set(given.values())) > 1:
            raise MpiError(ERR_NOT_SAME, f"{file.path}: representations or sizes of etypes differ between ranks")
        file.shared_position = 0
        return True

    agree(file.communicator, (representation, view.etype_size), 16, decide)
    view.hold()
    mine.view.release()
    mine.view, mine.position = view, 0


@file_function("File_get_view")
def file_get_view(file: File, displacement: Any, etype: Any, filetype: Any, name: Any) -> None:
    """Return the running rank's view; the program must free the derived datatypes that it gets."""
    view = file.mine().view
    for handle in (view.etype, view.filetype):
        lib.pysmpi_datatype_hand_out(handle)
    displacement[0], etype[0], filetype[0] = view.displacement, view.etype, view.filetype
    ffi.memmove(name, view.representation.encode() + b"\0", len(view.representation) + 1)


@file_function("File_get_byte_offset")
def file_get_byte_offset(file: File, offset: int, displacement: Any) -> None:
    """Return the byte offset in the file of a position in the view."""
    if offset < 0:
        raise MpiError(ERR_ARG, f"negative offset {offset}")
    displacement[0] = file.mine().view.offset(offset)


@file_function("File_get_type_extent")
def file_get_type_extent(file: File, datatype: int, extent: Any) -> None:
    """Return the distance in bytes from one element of the datatype to the next in the file."""
    check_type(datatype, "datatype")
    external = int(lib.pysmpi_datatype_external_size(datatype))
    if file.mine().view.external and external != lib.pysmpi_datatype_size(datatype):
        extent[0] = external
    else:
        extent[0] = lib.pysmpi_datatype_extent(datatype)


@mpi_function("Register_datarep")
def register_datarep(name: Any, _read: Any, _write: Any, _extent: Any, _state: Any) -> None:
    """Register the name of a data representation; views cannot use it."""
    with failing_as(FILE_NULL):
        text: str = ffi.string(name).decode(errors="replace")
        if not text or len(text) >= _MAX_DATAREP_STRING:
            raise MpiError(ERR_ARG, f"the name has {len(text)} characters; valid: 1 to {_MAX_DATAREP_STRING - 1}")
        own = _registered.setdefault(running_rank(), set())
        if text in own or text in _BUILT_IN:
            raise MpiError(ERR_DUP_DATAREP, f"the data representation {text!r} exists already")
        own.add(text)
