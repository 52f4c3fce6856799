"""What ranks make and do not free: a list that is kept only where a run is to be checked (``pysmpirun --check``)."""

from collections.abc import Callable
from typing import Any

from pysmpi.mpi.bindings import running_rank
from pysmpi.native import ffi, lib

__all__ = ["freed", "handed_out", "made", "observe", "stop_observing", "unfreed"]

_NATIVE_KINDS = ("datatype", "operation")  # in the order of ObjectKind
_find_place: Callable[[], str | None] | None = None
_places: dict[tuple[str, int, int], str | None] = {}  # by kind, handle and rank, in the order of making


def observe(find_place: Callable[[], str | None]) -> None:
    """Begins the list.

    Args:
        find_place: ``file:line`` of what the running rank does; None when unknown.
    """
    global _find_place
    _find_place = find_place
    _places.clear()
    lib.pysmpi_observe_objects(lib.py_observe_object)


def stop_observing() -> None:
    """Ends and forgets it."""
    global _find_place
    _find_place = None
    _places.clear()
    lib.pysmpi_observe_objects(ffi.NULL)


def made(kind: str, handle: int) -> None:
    """The running rank has made such an object, and is to free it."""
    rank = running_rank()
    if _find_place is not None and rank >= 0:
        _places[kind, handle, rank] = _find_place()


def freed(kind: str, handle: int) -> None:
    """It has."""
    if _find_place is not None:
        _places.pop((kind, handle, running_rank()), None)


def handed_out(kind: str, handle: int, variable: Any) -> None:
    """A variable (a C pointer) of the program gets it. Libraries free what they have in an attribute with that."""
    if _find_place is not None and lib.pysmpi_is_in_attribute(ffi.cast("void*", variable)):
        freed(kind, handle)


@ffi.def_extern(name="py_observe_object")  # type: ignore[untyped-decorator]
def _observe_object(kind: int, handle: int, is_made: int) -> None:
    (made if is_made else freed)(_NATIVE_KINDS[kind], handle)


def unfreed() -> list[tuple[str, int, str | None]]:
    """Kind, rank and place of what has not been freed, in the order of making."""
    return [(kind, rank, place) for (kind, _, rank), place in _places.items()]
