"""Counting of the floating-point operations, memory traffic and memory of ranks.

NumPy's operations on plain arrays are counted natively (`numpy_counting`). Folded arrays report their own, because
NumPy does not execute them.
"""

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute.flops import routine_flops

__all__ = ["access", "count_operands", "counted_as", "forget_when_freed", "hold_as_long_as", "release_all"]

counted = False  # whether operations on folded arrays are to be reported
holding = False  # whether the memory of folded arrays is to be counted
_held: set[Any] = set()  # weak references to folded arrays and to arrays whose data the allocator does not release


def hold_as_long_as(array: Any, size: int) -> None:
    """Count `size` bytes as memory of the running rank until the array is freed."""
    rank = lib.pysmpi_running_rank()
    if rank < 0:
        return
    address = ffi.cast("void *", id(array))

    def release(reference: Any) -> None:
        if reference in _held:
            _held.discard(reference)
            lib.pysmpi_hold_memory(rank, -size)
            lib.pysmpi_forget_array(rank, address)

    lib.pysmpi_hold_memory(rank, size)
    _held.add(_Identified(array, release))


def forget_when_freed(array: Any) -> None:
    """Remove an array from the running rank's record of stack distances as soon as it is freed."""
    rank, address = lib.pysmpi_running_rank(), ffi.cast("void *", id(array))

    def release(reference: Any) -> None:
        if reference in _held:
            _held.discard(reference)
            lib.pysmpi_forget_array(rank, address)

    _held.add(_Identified(array, release))


def access(read: Iterable[Any], written: Iterable[Any]) -> None:
    """Record stack distances of the arrays that an operation of the running rank reads and writes."""
    for number, array in enumerate(read, 1):
        lib.pysmpi_access_array(ffi.cast("void *", id(array)), number)
    for array in written:
        lib.pysmpi_access_array(ffi.cast("void *", id(array)), 0)


def release_all() -> None:
    """Forget all arrays whose memory is counted, because counting ends."""
    _held.clear()


class _Identified(weakref.ref):  # type: ignore[type-arg]
    """Weak reference to an array that can be stored in a set, although arrays cannot be hashed."""

    __slots__ = ()

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


_Part = tuple[str, str, Mapping[str, int], int]  # precision and family of a routine, sizes, number of calls


def _count_parts(parts: Sequence[_Part], arguments: Sequence[Any], named: Mapping[str, Any], result: Any) -> None:
    flops = sum(times * routine_flops(precision, family, sizes) for precision, family, sizes, times in parts)
    count_operands(flops, arguments, named, result)


def count_operands(flops: float, arguments: Sequence[Any], named: Mapping[str, Any], result: Any) -> None:
    """Count `flops` operations for the running rank, with the bytes of the arrays among the arguments and results."""
    import numpy as np

    made = result if isinstance(result, tuple) else (result,)
    read = [each for each in (*arguments, *named.values()) if isinstance(each, np.ndarray)]
    written = [each for each in made if isinstance(each, np.ndarray)]
    only_written = [each for each in written if not any(each is other for other in read)]
    lib.pysmpi_count(flops, 0.0, sum(each.nbytes for each in (*read, *only_written) if each.ndim > 0))
    access(read, written)


@contextmanager
def counted_as(arguments: Sequence[Any], named: Mapping[str, Any]) -> Iterator[Callable[[Sequence[_Part], Any], None]]:
    """Count the operations of some routines by formulas, and not what runs inside this context.

    The context yields a function, to be called with the routines and their result. At the end of the context, the
    floating-point operations of these routines are counted, with the bytes of their operands and result.

    Args:
        arguments: positional arguments of the routines.
        named: keyword arguments of the routines.
    """
    global counted
    if not counted:
        yield lambda parts, result: None
        return
    found: list[tuple[Sequence[_Part], Any]] = []
    lib.pysmpi_pause_counting(True)
    counted = False
    try:
        yield lambda parts, result: found.append((parts, result))
    finally:
        counted = True
        lib.pysmpi_pause_counting(False)
    for parts, result in found:
        _count_parts(parts, arguments, named, result)
