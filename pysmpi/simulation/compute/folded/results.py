"""Results of operations on folded arrays (whose contents do not matter): such arrays, and scalars in place of unknown
values."""

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute import operations
from pysmpi.simulation.compute.folded.memory import FoldedMemoryError

__all__ = [
    "any_index",
    "any_scalar",
    "array_at",
    "contents_matter",
    "folded",
    "folded_order",
    "result",
    "results_are",
    "standing_for",
]

Array = np.ndarray[Any, np.dtype[Any]]


_Class = TypeVar("_Class", bound=type[Array])
_class: type[Array] = np.ndarray


def results_are(array_class: _Class) -> _Class:
    """Register the decorated class as the class of folded arrays, which this module cannot import without a cycle."""
    global _class
    _class = array_class
    return array_class


def folded(shape: Sequence[int], dtype: "np.dtype[Any]", order: Literal["C", "F"] = "C") -> Array:
    """Return a new folded array.

    Raises:
        FoldedMemoryError: the items are Python objects, or the address space does not suffice.
    """
    if dtype.hasobject:
        raise FoldedMemoryError(f"items of type {dtype} are Python objects, which cannot be folded; use numpy.empty")
    return array_at(lib.pysmpi_folded_map(max(0, math.prod(shape) * dtype.itemsize)), shape, dtype, order)


def array_at(start: Any, shape: Sequence[int], dtype: "np.dtype[Any]", order: Literal["C", "F"]) -> Array:
    """Return a folded array whose memory begins at `start`.

    Raises:
        FoldedMemoryError: `start` is null, because the address space did not suffice.
    """
    size = max(0, math.prod(shape) * dtype.itemsize)
    if start == ffi.NULL:
        raise FoldedMemoryError(
            f"out of address space for a folded array of shape {shape} and type {dtype} ({size} bytes)"
        )
    array = np.ndarray.__new__(_class, tuple(shape), dtype, ffi.buffer(start, size), 0, None, order)
    if operations.holding:
        operations.hold_as_long_as(array, size)
    return array


def any_scalar(dtype: "np.dtype[Any]") -> Any:
    """Return the number 1 of the given type, the result of operations that would read or sum folded elements.

    The real value is unknown. A program can divide by 1; an iteration that waits for a small value runs up to its
    limit. For types that are not numbers the result is a zero or empty value.
    """
    return np.ones((), dtype)[()] if dtype.kind in "biufc" else np.zeros((), dtype)[()]


def any_index() -> Any:
    """Return 0, the result of searches in folded arrays (such as argmax): it is a valid index in every array."""
    return np.intp(0)


def result(shape: Sequence[int], dtype: "np.dtype[Any]", order: Literal["C", "F"] = "C") -> Any:
    """Return a folded array, or a scalar if the result has no dimension, as in NumPy."""
    return folded(shape, dtype, order) if len(shape) > 0 else any_scalar(dtype)


def folded_order(arrays: Sequence[Array]) -> Literal["C", "F"]:
    """Return the memory order ("C" or "F") of an operation's result: that of its operands, as for NumPy's order="K"."""
    matrices = [array.flags for array in arrays if array.ndim > 1]
    return "F" if matrices and all(flags.f_contiguous and not flags.c_contiguous for flags in matrices) else "C"


def standing_for(array: Array) -> Array:
    """Return a plain array of one element that has the element type and the number of dimensions of a folded array.

    NumPy computes with it to find the type of a result.
    """
    return np.ones((1,) * array.ndim, array.dtype)


def contents_matter(operation: str, instead: str = "") -> FoldedMemoryError:
    """Return the error for an operation that needs an array's contents, or is not implemented for folded arrays."""
    return FoldedMemoryError(
        f"{operation}: the operation needs the array's contents, which folded arrays do not have; "
        + (instead or "with array.view(numpy.ndarray) NumPy computes with the arbitrary values in its memory")
    )
