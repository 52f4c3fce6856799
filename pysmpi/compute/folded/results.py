"""What operations on folded arrays give: folded arrays, and scalars that stand for any."""

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from pysmpi.compute.folded.memory import FoldedMemoryError
from pysmpi.native import ffi, lib

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
    """Decorates the class of folded arrays, whose operations stand on what is here."""
    global _class
    _class = array_class
    return array_class


def folded(shape: Sequence[int], dtype: "np.dtype[Any]", order: Literal["C", "F"] = "C") -> Array:
    """A folded array.

    Raises:
        FoldedMemoryError: its items are Python objects, or there is not enough address space.
    """
    if dtype.hasobject:
        raise FoldedMemoryError(f"items of {dtype} are Python objects, which cannot be folded")
    return array_at(lib.pysmpi_folded_map(max(0, math.prod(shape) * dtype.itemsize)), shape, dtype, order)


def array_at(start: Any, shape: Sequence[int], dtype: "np.dtype[Any]", order: Literal["C", "F"]) -> Array:
    """A folded array in memory that begins there.

    Raises:
        FoldedMemoryError: there was not enough address space, so that it begins nowhere.
    """
    size = max(0, math.prod(shape) * dtype.itemsize)
    if start == ffi.NULL:
        raise FoldedMemoryError(f"no address space for a folded array of shape {shape} and type {dtype} ({size} bytes)")
    return np.ndarray.__new__(_class, tuple(shape), dtype, ffi.buffer(start, size), 0, None, order)


def any_scalar(dtype: "np.dtype[Any]") -> Any:
    """The value that stands for what a folded element or a sum of them would be: one of its type.

    One can be divided by, and an iteration that waits for it to become small goes on.
    """
    return np.ones((), dtype)[()] if dtype.kind in "biufc" else np.zeros((), dtype)[()]


def any_index() -> Any:
    """The index that stands for where something would be found: 0, which exists."""
    return np.intp(0)


def result(shape: Sequence[int], dtype: "np.dtype[Any]", order: Literal["C", "F"] = "C") -> Any:
    """A folded array, or where it would have no dimension a scalar, as NumPy has it."""
    return folded(shape, dtype, order) if len(shape) > 0 else any_scalar(dtype)


def folded_order(arrays: Sequence[Array]) -> Literal["C", "F"]:
    """The order in memory of what an operation makes of arrays: that of the arrays, as NumPy's order="K"."""
    matrices = [array.flags for array in arrays if array.ndim > 1]
    return "F" if matrices and all(flags.f_contiguous and not flags.c_contiguous for flags in matrices) else "C"


def standing_for(array: Array) -> Array:
    """An array of the same number of dimensions and the same type, with one element: for the type of a result."""
    return np.ones((1,) * array.ndim, array.dtype)


def contents_matter(operation: str, instead: str = "") -> FoldedMemoryError:
    """The error of an operation that depends on what an array holds, or that has no folded form."""
    return FoldedMemoryError(
        f"{operation}: what a folded array holds does not matter, so this cannot be answered; "
        + (instead or "array.view(numpy.ndarray) has NumPy compute with whatever lies there")
    )
