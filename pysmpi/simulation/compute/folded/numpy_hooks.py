"""Hooks into NumPy for operations that would bypass the class of folded arrays (whose contents do not matter).

These are `numpy.array` and its relatives, and assignments to plain arrays.
"""

import functools
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute.folded.array import FoldedArray, assign_to_plain

__all__ = ["FoldedArray"]


def _asked(function: Callable[..., Any], of_folded: Callable[..., Any]) -> Callable[..., Any]:
    """Return a replacement for the NumPy function, which runs `of_folded` instead if the first argument is a folded
    array."""

    @functools.wraps(function)
    def ask(*positional: Any, **named: Any) -> Any:
        if positional and isinstance(positional[0], FoldedArray):
            return of_folded(*positional, **named)
        return function(*positional, **named)

    return ask


def _array(a: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K", ndmin: int = 0, **_: Any) -> Any:
    kind = a.dtype if dtype is None else np.dtype(dtype)
    in_order = order in {"K", "A", None} or bool(a.flags.c_contiguous if order == "C" else a.flags.f_contiguous)
    if copy or kind != a.dtype or not in_order:
        if copy is False and np.lib.NumpyVersion(np.__version__) >= "2.0.0":
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        a = a.astype(kind, order or "K")
    return a.reshape((1,) * (ndmin - a.ndim) + a.shape) if ndmin > a.ndim else a


def _asarray(a: Any, dtype: Any = None, order: Any = None, copy: Any = None, **_: Any) -> Any:
    return _array(a, dtype, copy=bool(copy), order=order)


def _contiguous(order: Literal["C", "F"]) -> Callable[..., Any]:
    def contiguous(a: Any, dtype: Any = None, **_: Any) -> Any:
        return _array(a, dtype, copy=None, order=order, ndmin=1)

    return contiguous


# These replacements do not reach a program that imported the functions by name before its first folded array.
np.array = _asked(np.array, _array)
np.asarray = _asked(np.asarray, _asarray)
np.ascontiguousarray = _asked(np.ascontiguousarray, _contiguous("C"))
np.asfortranarray = _asked(np.asfortranarray, _contiguous("F"))

_objects = np.ndarray, FoldedArray, assign_to_plain
lib.pysmpi_watch_assignments(*(ffi.cast("void *", id(each)) for each in _objects))
