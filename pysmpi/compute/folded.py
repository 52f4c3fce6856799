"""Folded arrays: memory whose contents do not matter, so that size costs address space only.

One range of addresses repeats one small block of memory (SMPI's shared malloc, with a single range for the whole
process). Every folded array of every rank starts at the beginning of that range: what is written to one shows up in the
others, and messages from or to folded arrays take their time but move no bytes.
"""

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pysmpi.compute.execution import is_simulated
from pysmpi.errors import PysmpiError
from pysmpi.native import ffi, lib

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["FoldedMemoryError", "folded_empty", "is_folded"]


class FoldedMemoryError(PysmpiError):
    """A folded array cannot be had: its items are Python objects, or the address space does not suffice."""

    slug: ClassVar[str] = "folded-memory"


def folded_empty(
    shape: "int | tuple[int, ...]", dtype: "npt.DTypeLike" = float, order: Literal["C", "F"] = "C"
) -> "np.ndarray[Any, np.dtype[Any]]":
    """An array like numpy.empty's, in folded memory when the caller is a rank of a simulation.

    Args:
        shape: as for numpy.empty.
        dtype: any type but Python objects.
        order: "C" for rows that are contiguous, "F" for columns.

    Raises:
        FoldedMemoryError: the items are Python objects, or there is not enough address space.
        ValueError: a dimension is negative.
    """
    import numpy as np  # here, because `import pysmpi` is to stay light

    if not is_simulated():
        return np.empty(shape, dtype, order)
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise FoldedMemoryError(f"items of {kind} are Python objects, which cannot be folded; use numpy.empty")
    size = max(0, math.prod((shape,) if isinstance(shape, int | np.integer) else shape) * kind.itemsize)
    start = lib.pysmpi_folded_map(size)
    if start == ffi.NULL:
        raise FoldedMemoryError(f"no address space for a folded array of shape {shape} and type {kind} ({size} bytes)")
    return np.ndarray(shape, kind, ffi.buffer(start, size), order=order)


def is_folded(array: object) -> bool:
    """Whether an array, of whatever class, lies in folded memory: what its elements are does not matter.

    False for what is no array.
    """
    if lib.pysmpi_folded_bytes() == 0:
        return False
    interface = getattr(array, "__array_interface__", None)
    return interface is not None and bool(lib.pysmpi_is_folded(interface["data"][0]))
