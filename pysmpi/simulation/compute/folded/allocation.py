"""Functions with which a program allocates folded memory, which is for data whose contents do not matter.

One range of addresses repeats one small block of physical memory (SMPI's shared malloc, with a single range for the
whole process). Every folded array of every rank starts at the beginning of that range. What is written to one array
therefore shows up in the others. Messages from or to folded arrays take their time but move no bytes. Arrays with
private zones have addresses of their own.

Example: 4 ranks call ``folded_empty(2**27)``, 1 GiB of float64 each, with the default block of 1 MiB.

- Pages: all four arrays start at the same address A. The range A to A + 1 GiB consists of 1,024 mappings of one 1 MiB
  file, which is 256 pages of 4 KiB. Physical memory therefore holds 256 pages at most, and only those that were
  touched. Plain arrays would need 1,048,576 pages (4 GiB).
- Contents: if rank 0 writes 7.0 to element 0, page 0 of the block changes. Rank 3 then reads 7.0 at element 0. Both
  ranks also read 7.0 at element 131,072: it lies 1 MiB further on, where the block begins again.
- Private zones: with ``private=[(0, 4096)]`` each rank's array has its own addresses. Its first page belongs to the
  rank alone, and messages carry its contents. The rest of the array repeats the pages of the block, which all ranks
  share.
"""

import math
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute.execution import is_simulated
from pysmpi.simulation.compute.folded.memory import FoldedMemoryError, is_folded

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["fold", "folded_empty", "partial_shared_malloc", "shared_free", "shared_malloc"]

_ZONES = "give each zone as a pair of byte offsets (start, stop), in ascending order and with a gap between zones"


_folds = True  # whether ranks get folded arrays: the setting smpi/shared-malloc


def fold(yes: bool) -> None:
    """Choose what `folded_empty` returns to ranks: arrays in shared memory (True) or plain arrays (False)."""
    global _folds
    _folds = yes
    lib.pysmpi_fold_programs(yes)


def folded_empty(
    shape: "int | Sequence[int]",
    dtype: "npt.DTypeLike" = float,
    order: Literal["C", "F"] = "C",
    *,
    private: Iterable[tuple[int, int]] = (),
) -> "np.ndarray[Any, np.dtype[Any]]":
    """Return an uninitialised array, in folded memory (which all folded arrays share) if a simulated rank calls this.

    In a real run and outside ranks the result is that of `numpy.empty`. NumPy's operations on a folded array compute
    nothing: they take the simulated time that moving its bytes would take (docs/memory.md).

    Args:
        shape: shape, as for `numpy.empty`.
        dtype: any type except Python objects.
        order: "C" for contiguous rows, "F" for contiguous columns.
        private: byte offsets (start, stop) of zones that behave like ordinary memory and whose contents messages carry;
            `stop` is the first byte after the zone.

    Raises:
        FoldedMemoryError: the items are Python objects, a private zone lies outside the array or touches another, or
            the address space does not suffice.
        ValueError: a dimension is negative.
    """
    import numpy as np  # imported here so that `import pysmpi` stays quick

    from pysmpi.simulation.compute.folded import numpy_hooks  # noqa: F401  (the import makes NumPy handle folded arrays)
    from pysmpi.simulation.compute.folded.results import array_at, folded

    kind = np.dtype(dtype)
    extents = tuple(map(operator.index, shape)) if isinstance(shape, Iterable) else (operator.index(shape),)
    size = max(0, math.prod(extents) * kind.itemsize)
    zones = _checked(private, size)
    if not (_folds and is_simulated()):
        return np.empty(extents, kind, order)
    if kind.hasobject:
        raise FoldedMemoryError(f"items of type {kind} are Python objects, which cannot be folded; use numpy.empty")
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
            raise FoldedMemoryError(f"invalid private zone {zone!r}; {_ZONES}") from error
        if not last < start < stop <= size:
            raise FoldedMemoryError(f"invalid private zone ({start}, {stop}) of an array of {size} bytes; {_ZONES}")
        zones.append((start, stop))
        last = stop
    return zones


def shared_malloc(size: int) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    """Allocate `size` bytes of memory whose contents do not matter (SimGrid's SMPI_SHARED_MALLOC).

    In a simulation all such memory shares a few physical pages. In a real run the memory is ordinary.

    Raises:
        FoldedMemoryError: the address space does not suffice.
    """
    return folded_empty(size, "uint8")


def partial_shared_malloc(size: int, shared_block_offsets: Sequence[int]) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    """Allocate `size` bytes, parts of which are folded: their contents do not matter, and they share physical pages.

    This is SimGrid's SMPI_PARTIAL_SHARED_MALLOC.

    Args:
        size: bytes.
        shared_block_offsets: start and stop of each folded part in turn. With (27, 42, 100, 200), bytes 27 to 41 and
            100 to 199 are folded, and all others are the caller's own.

    Raises:
        FoldedMemoryError: the offsets are not pairs in ascending order, or the address space does not suffice.
    """
    offsets = [operator.index(offset) for offset in shared_block_offsets]
    bounds = [0, *offsets, size]
    folded = list(zip(offsets[::2], offsets[1::2], strict=False))
    if len(offsets) % 2 or any(start >= stop for start, stop in folded) or bounds != sorted(bounds):
        raise FoldedMemoryError(
            f"partial_shared_malloc of {size} bytes: invalid offsets {offsets}; give start and stop of each folded "
            "part, in ascending order"
        )
    private = [(start, stop) for start, stop in zip(bounds[::2], bounds[1::2], strict=True) if start < stop]
    return folded_empty(size, "uint8", private=private)


def shared_free(memory: "np.ndarray[Any, np.dtype[np.uint8]]") -> None:
    """Check that memory comes from `shared_malloc` (SimGrid's SMPI_SHARED_FREE).

    The memory is freed when Python drops the last reference to it.

    Raises:
        FoldedMemoryError: in a simulation, the memory does not come from `shared_malloc` or `partial_shared_malloc`.
    """
    if _folds and is_simulated() and not is_folded(memory):
        raise FoldedMemoryError("shared_free: the array does not come from shared_malloc or partial_shared_malloc")
