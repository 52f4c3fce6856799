"""What ranks make and do not free: a list that is kept only where a run is to be checked (``pysmpirun --check``)."""

from collections.abc import Callable

from pysmpi.mpi.seam import running_rank
from pysmpi.native import ffi, lib

__all__ = ["freed", "made", "observe", "request_place", "stop_observing", "unfreed"]

_NATIVE_KINDS = ("request", "datatype", "operation")  # in the order of ObjectKind
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


@ffi.def_extern(name="py_observe_object")  # type: ignore[untyped-decorator]
def _observe_object(kind: int, handle: int, is_made: int) -> None:
    (made if is_made else freed)(_NATIVE_KINDS[kind], handle)


def request_place(number: int, rank: int) -> str | None:
    """Where the rank has begun a request or sent a message of this number."""
    return _places.get(("request", number, rank))


def unfreed() -> list[tuple[str, int, str | None]]:
    """Kind, rank and place of what has not been freed, in the order of making."""
    return [(kind, rank, place) for (kind, _, rank), place in _places.items() if kind != "request"]
