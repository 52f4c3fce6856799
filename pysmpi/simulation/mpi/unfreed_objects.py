"""Record of objects that ranks create and do not free, kept only in checked runs (``pysmpirun --check``)."""

from collections.abc import Callable
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi.bindings import running_rank

__all__ = ["freed", "handed_out", "made", "observe", "stop_observing", "unfreed"]

_NATIVE_KINDS = ("datatype", "operation")  # in the order of the C++ enumeration ObjectKind
_find_place: Callable[[], str | None] | None = None
# ``file:line`` of creation, by kind, handle and rank, in order of creation.
_places: dict[tuple[str, int, int], str | None] = {}


def observe(find_place: Callable[[], str | None]) -> None:
    """Start recording which objects ranks create and free.

    Args:
        find_place: function that returns ``file:line`` of the running rank's code, or None if it is unknown.
    """
    global _find_place
    _find_place = find_place
    _places.clear()
    lib.pysmpi_observe_objects(lib.py_observe_object)


def stop_observing() -> None:
    """Stop recording, and discard the record."""
    global _find_place
    _find_place = None
    _places.clear()
    lib.pysmpi_observe_objects(ffi.NULL)


def made(kind: str, handle: int) -> None:
    """Record that the running rank has created an object, which it must free."""
    rank = running_rank()
    if _find_place is not None and rank >= 0:
        _places[kind, handle, rank] = _find_place()


def freed(kind: str, handle: int) -> None:
    """Record that the running rank has freed an object."""
    if _find_place is not None:
        _places.pop((kind, handle, running_rank()), None)


def handed_out(kind: str, handle: int, variable: Any) -> None:
    """Record that an MPI function stores the object's handle in a variable of the program, given as a C pointer.

    If the variable lies in a structure that is stored as an MPI attribute, the object counts as freed: libraries free
    the objects that they keep in attributes.
    """
    if _find_place is not None and lib.pysmpi_is_in_attribute(ffi.cast("void*", variable)):
        freed(kind, handle)


@ffi.def_extern(name="py_observe_object")  # type: ignore[untyped-decorator]
def _observe_object(kind: int, handle: int, is_made: int) -> None:
    (made if is_made else freed)(_NATIVE_KINDS[kind], handle)


def unfreed() -> list[tuple[str, int, str | None]]:
    """Return kind, rank and ``file:line`` of creation of each object that has not been freed, in order of creation."""
    return [(kind, rank, place) for (kind, _, rank), place in _places.items()]
