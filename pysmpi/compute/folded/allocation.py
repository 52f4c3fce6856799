"""Folded memory, as a program asks for it.

One range of addresses repeats one small block of memory (SMPI's shared malloc, with a single range for the whole
process). Every folded array of every rank starts at the beginning of that range: what is written to one shows up in
the others, and messages from or to folded arrays take their time but move no bytes. Arrays with private zones have
addresses of their own.
"""

import math
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pysmpi.compute.execution import is_simulated
from pysmpi.compute.folded.memory import FoldedMemoryError, is_folded
from pysmpi.native import ffi, lib

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["fold", "folded_empty", "partial_shared_malloc", "shared_free", "shared_malloc"]

_ZONES = "a private zone is a pair of bytes (start, stop), and zones come in order without touching each other"


_folds = True  # smpi/shared-malloc


def fold(yes: bool) -> None:
    """Whether the ranks of a simulation have folded arrays where they ask for them, or plain ones."""
    global _folds
    _folds = yes


def folded_empty(
    shape: "int | Sequence[int]",
    dtype: "npt.DTypeLike" = float,
    order: Literal["C", "F"] = "C",
    *,
    private: Iterable[tuple[int, int]] = (),
) -> "np.ndarray[Any, np.dtype[Any]]":
    """An array like numpy.empty's, in folded memory when the caller is a rank of a simulation.

    NumPy's operations on it take the time that moving its bytes takes, and compute nothing (docs/memory.md).

    Args:
        shape: as for numpy.empty.
        dtype: any type but Python objects.
        order: "C" for rows that are contiguous, "F" for columns.
        private: parts of the array's memory that are as other memory is, and whose contents messages carry: from the
            first to before the second of two offsets, in bytes.

    Raises:
        FoldedMemoryError: the items are Python objects, a private zone is not within the array or touches another, or
            there is not enough address space.
        ValueError: a dimension is negative.
    """
    import numpy as np  # here, because `import pysmpi` is to stay light

    from pysmpi.compute.folded import watch  # noqa: F401, which makes NumPy ask about folded arrays
    from pysmpi.compute.folded.results import array_at, folded

    kind = np.dtype(dtype)
    extents = tuple(map(operator.index, shape)) if isinstance(shape, Iterable) else (operator.index(shape),)
    size = max(0, math.prod(extents) * kind.itemsize)
    zones = _checked(private, size)
    if not (_folds and is_simulated()):
        return np.empty(extents, kind, order)
    if kind.hasobject:
        raise FoldedMemoryError(f"items of {kind} are Python objects, which cannot be folded; use numpy.empty")
    if not zones:
        return folded(extents, kind, order)
    start = lib.pysmpi_folded_map_zones(size, len(zones), [bound for zone in zones for bound in zone])
    memory = start if start == ffi.NULL else ffi.gc(start, lib.pysmpi_folded_unmap_zones)
    return array_at(memory, extents, kind, order)


def _checked(private: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    zones = []
    last = -1
    for zone in private:
        try:
            start, stop = map(operator.index, zone)
        except (TypeError, ValueError) as error:
            raise FoldedMemoryError(f"private zone {zone!r}: {_ZONES}") from error
        if not last < start < stop <= size:
            raise FoldedMemoryError(f"private zone ({start}, {stop}) of an array of {size} bytes: {_ZONES}")
        zones.append((start, stop))
        last = stop
    return zones


def shared_malloc(size: int) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    """As many bytes of folded memory (SimGrid's SMPI_SHARED_MALLOC); plain memory in a real run.

    Raises:
        FoldedMemoryError: there is not enough address space.
    """
    return folded_empty(size, "uint8")


def partial_shared_malloc(size: int, shared_block_offsets: Sequence[int]) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    """As many bytes of memory, parts of which are folded (SimGrid's SMPI_PARTIAL_SHARED_MALLOC).

    Args:
        size: bytes.
        shared_block_offsets: where the folded parts begin and end, in turn: of (27, 42, 100, 200) the bytes 27 to 41
            and 100 to 199 are folded, and all others are the caller's own.

    Raises:
        FoldedMemoryError: the offsets do not come in pairs or in order, or there is not enough address space.
    """
    offsets = [operator.index(offset) for offset in shared_block_offsets]
    bounds = [0, *offsets, size]
    folded = list(zip(offsets[::2], offsets[1::2], strict=False))
    if len(offsets) % 2 or any(start >= stop for start, stop in folded) or bounds != sorted(bounds):
        raise FoldedMemoryError(
            f"partial_shared_malloc of {size} bytes: {offsets} are not the beginnings and ends of its parts in order"
        )
    private = [(start, stop) for start, stop in zip(bounds[::2], bounds[1::2], strict=True) if start < stop]
    return folded_empty(size, "uint8", private=private)


def shared_free(memory: "np.ndarray[Any, np.dtype[np.uint8]]") -> None:
    """The counterpart of the two (SimGrid's SMPI_SHARED_FREE): memory goes when nothing refers to it any more.

    Raises:
        FoldedMemoryError: in a simulation, it is no memory that `shared_malloc` or `partial_shared_malloc` gave.
    """
    if _folds and is_simulated() and not is_folded(memory):
        raise FoldedMemoryError("shared_free: this is no memory that shared_malloc or partial_shared_malloc gave")
