"""Class of folded arrays (whose contents do not matter): NumPy's operations take simulated time, compute nothing.

NumPy asks the class for the results of universal functions (``__array_ufunc__``) and of others
(``__array_function__``). Indexing, assignment and the methods that bypass these protocols are overridden here.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NoReturn, cast

import numpy as np

from pysmpi.native import lib
from pysmpi.simulation.compute.folded import array_functions, ufuncs
from pysmpi.simulation.compute.folded.indexing import is_basic, selected_shape
from pysmpi.simulation.compute.folded.memory import is_folded
from pysmpi.simulation.compute.folded.operation_time import spend, spend_on, unmeasured
from pysmpi.simulation.compute.folded.results import (
    any_index,
    any_scalar,
    contents_matter,
    folded,
    folded_order,
    result,
    results_are,
)

__all__ = ["FoldedArray", "assign_to_plain"]

_Order = Literal["C", "F", "A", "K"] | None


class _Referred(np.ndarray[Any, np.dtype[Any]]):
    """Array class for measuring reference counts.

    An operator such as + returns, for each operand, the count that the same code in a method of FoldedArray would see.
    """

    @unmeasured
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        return [sys.getrefcount(each) for each in inputs]


def _references() -> dict[bool, int]:
    """Return the reference counts by which temporary operands are recognised, because NumPy reuses their memory.

    The key True stands for the operand whose method Python calls, False for the other operand. The result is empty if
    counts do not distinguish temporaries from variables (Python 3.14).
    """
    one, other = (np.empty(0).view(_Referred) for _ in range(2))
    first, of_other = one + np.empty(0).view(_Referred)
    of_asked, _ = np.empty(0).view(_Referred) + other
    return {} if first == of_asked else {True: of_asked, False: of_other}


_REFERENCES = _references()


def _private(array: Any) -> bool:
    """Return whether all elements have real values: the array lies in a private zone, an unshared part of a folded
    array."""
    return bool(lib.pysmpi_has_zones()) and not is_folded(array)


@results_are
class FoldedArray(np.ndarray[Any, np.dtype[Any]]):
    """Array whose contents do not matter, made by `pysmpi.folded_empty` and by operations on folded arrays."""

    __slots__ = ()

    # NumPy's protocols.

    @unmeasured
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        references = [sys.getrefcount(each) for each in inputs]
        temporaries = [count == _REFERENCES.get(each is self) for count, each in zip(references, inputs, strict=True)]
        return ufuncs.apply(ufunc, method, inputs, named, temporaries)

    @unmeasured
    def __array_function__(
        self, func: Any, types: Iterable[type], args: Iterable[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        known = array_functions.FUNCTIONS.get(func)
        if known is not None:
            return known(*args, **kwargs)
        raise contents_matter(f"{func.__module__}.{func.__name__} is not supported on folded arrays")

    # Indices and assignments.

    def __getitem__(self, key: Any) -> Any:
        if not is_basic(key):
            return self._selected(key)
        found = super().__getitem__(key)
        if isinstance(found, np.ndarray):
            return found.view(np.ndarray) if _private(found) else found
        if _private(super().__getitem__(_of_region(key))):
            return found
        return any_scalar(self.dtype)

    @unmeasured
    def _selected(self, key: Any) -> np.ndarray[Any, np.dtype[Any]]:
        shape = selected_shape(self.shape, key)
        indices = sum(part.nbytes for part in _parts(key) if isinstance(part, np.ndarray))
        spend(indices + 2 * math.prod(shape) * self.itemsize)
        return folded(shape, self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        if is_basic(key):
            region = super().__getitem__(_of_region(key))
            if _private(region) and not is_folded(value):
                region.view(np.ndarray)[...] = value
            elif region.ndim > 0:
                _assign(region, value)
        else:
            self._set_selected(key, value)

    @unmeasured
    def _set_selected(self, key: Any, value: Any) -> None:
        shape = selected_shape(self.shape, key, at_most=True)
        indices = sum(part.nbytes for part in _parts(key) if isinstance(part, np.ndarray))
        spend(indices + math.prod(shape) * self.itemsize + np.asanyarray(value).nbytes)

    # Elements as Python objects, and strings.

    def item(self, *place: Any) -> Any:
        """Return an element: its real value in a private (unshared) zone of the array, otherwise the number 1."""
        if not place:
            # For larger arrays, super().item() raises NumPy's error.
            return self.reshape(-1)[0].item() if self.size == 1 else super().item()
        at = place[0] if len(place) == 1 else place
        return self[at if isinstance(at, tuple) else tuple(map(int, np.unravel_index(at, self.shape)))].item()

    def __bool__(self) -> bool:
        return bool(self.item()) if self.size == 1 else super().__bool__()

    def __int__(self) -> int:
        return int(self.item()) if self.size == 1 else super().__int__()

    def __float__(self) -> float:
        return float(self.item()) if self.size == 1 else super().__float__()

    def __complex__(self) -> complex:
        return complex(self.item()) if self.size == 1 else super().__complex__()

    def __repr__(self) -> str:
        return f"folded_empty({self.shape}, {str(self.dtype)!r})"

    __str__ = __repr__

    def __format__(self, specification: str) -> str:
        return format(self.item(), specification) if self.ndim == 0 else repr(self)

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(np.ndarray).__reduce_ex__(protocol)

    # Copies and changes of form.

    @unmeasured
    def astype(
        self, dtype: Any, order: _Order = "K", casting: Any = "unsafe", subok: bool = True, copy: Any = True
    ) -> Any:
        """Return the array converted to another element type; a copy charges the rank the time to read and write it."""
        kind = np.dtype(dtype)
        if not np.can_cast(self.dtype, kind, casting):
            raise TypeError(f"cannot cast a folded array from {self.dtype} to {kind} according to the rule {casting!r}")
        return self if kind == self.dtype and not copy else self._copied(order, kind)

    @unmeasured
    def copy(self, order: _Order = "C") -> "FoldedArray":
        """Return a copy of the array; charge the rank the time to read and write every element once."""
        return self._copied(order)

    def __copy__(self) -> "FoldedArray":
        return self.copy("K")

    def __deepcopy__(self, memo: Any) -> "FoldedArray":
        return self.copy("K")

    @unmeasured
    def flatten(self, order: _Order = "C") -> np.ndarray[Any, np.dtype[Any]]:
        """Return a one-dimensional copy of the array."""
        spend(2 * self.nbytes)
        return folded((self.size,), self.dtype)

    def ravel(self, order: _Order = "C") -> Any:
        """Return the array in one dimension: a view if its elements are contiguous in that order, else a copy."""
        return self.reshape(-1, order=order)

    @unmeasured
    def reshape(self, *shape: Any, order: Any = "C", copy: bool | None = None) -> Any:
        """Return the array in another shape: a view if possible, else a copy."""
        wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Iterable) else shape
        if copy is not True:
            if self._keeps_place(order):
                return super().reshape(wanted, order="F" if self._is_column_major(order) else "C")
            same = _viewed(self, wanted)
            if same is not None and order in {"C", "A"}:
                return same
        if copy is False:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
        spend(2 * self.nbytes)
        return folded(_filled_shape(wanted, self.size), self.dtype, "F" if order == "F" else "C")

    def _is_column_major(self, order: Any) -> bool:
        return order == "F" or (order in {"A", "K"} and self.flags.f_contiguous and not self.flags.c_contiguous)

    def _keeps_place(self, order: Any) -> bool:
        return bool(self.flags.f_contiguous if self._is_column_major(order) else self.flags.c_contiguous)

    def _copied(self, order: _Order, dtype: "np.dtype[Any] | None" = None) -> "FoldedArray":
        kind = self.dtype if dtype is None else dtype
        copied = folded(self.shape, kind, order if order in {"C", "F"} else folded_order([self]))
        spend_on([self], [], [copied])
        return cast(FoldedArray, copied)

    @unmeasured
    def byteswap(self, inplace: bool = False) -> Any:
        """Charge the rank the time to read and write every element once; no bytes are swapped."""
        spend(2 * self.nbytes)
        return self if inplace else folded(self.shape, self.dtype)

    @unmeasured
    def fill(self, value: Any) -> None:
        """Charge the rank the time to write every element; the memory stays unchanged."""
        spend_on([], [self])

    @unmeasured
    def round(self, decimals: Any = 0, out: Any = None) -> Any:
        """Return an array of the same shape, without real values; charge the rank the time to read and write every
        element once."""
        spend(2 * self.nbytes)
        return result(self.shape, self.dtype, folded_order([self])) if out is None else out

    # Means, and reductions that NumPy does not implement by universal functions.

    @unmeasured
    def mean(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
    ) -> Any:
        """Return an array of means, or a single mean; charge the rank the time to read every element once."""
        kind = np.dtype(dtype) if dtype is not None else np.mean(np.ones(1, self.dtype)).dtype
        return np.add.reduce(self, axis=axis, dtype=kind, out=out, keepdims=keepdims)

    @unmeasured
    def argmax(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        """Return an array of arbitrary indices, or 0 for a single index; charge the rank the time to read every element
        once."""
        return self._found_along(axis, out, keepdims)

    @unmeasured
    def argmin(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        """Return an array of arbitrary indices, or 0 for a single index; charge the rank the time to read every element
        once."""
        return self._found_along(axis, out, keepdims)

    def _found_along(self, axis: Any, out: Any, keepdims: bool) -> Any:
        if self.size == 0:
            raise ValueError("argmin and argmax: the array is empty; they need at least one element")
        spend(self.nbytes)
        if out is not None:
            return out
        reduced = range(self.ndim) if axis is None else [range(self.ndim)[axis]]
        shape = [1 if i in reduced else n for i, n in enumerate(self.shape) if keepdims or i not in reduced]
        return folded(shape, np.dtype(np.intp)) if shape else any_index()

    # Sorting.

    @unmeasured
    def sort(self, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        """Charge the rank the time of log2(n) passes through memory, for an axis of n elements; nothing is sorted."""
        self._pass_to_sort(axis)

    @unmeasured
    def argsort(self, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
        """Return an array of arbitrary indices; charge the rank the time of log2(n) passes through memory, for an axis
        of n elements."""
        self._pass_to_sort(axis)
        return folded(self.shape if axis is not None else (self.size,), np.dtype(np.intp))

    @unmeasured
    def partition(self, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> None:
        """Charge the rank the time of two passes through memory; nothing is moved."""
        spend(4 * self.nbytes)

    @unmeasured
    def argpartition(self, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
        """Return an array of arbitrary indices; charge the rank the time of two passes through memory."""
        spend(4 * self.nbytes)
        return folded(self.shape if axis is not None else (self.size,), np.dtype(np.intp))

    def _pass_to_sort(self, axis: Any) -> None:
        length = self.size if axis is None else self.shape[axis]
        spend(2 * self.nbytes * max(1, math.ceil(math.log2(max(length, 1)))))

    @unmeasured
    def searchsorted(self, v: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Return arbitrary indices, or 0 for a single value `v`; charge the rank the time of log2(n) reads per value,
        in an array of n elements."""
        values = np.asanyarray(v)
        spend(values.nbytes + values.size * self.itemsize * math.ceil(math.log2(max(self.size, 2))))
        return folded(values.shape, np.dtype(np.intp)) if values.ndim else any_index()

    # Selections.

    @unmeasured
    def take(self, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
        """Return the selected elements; charge the rank the time to read the indices, and to read and write each
        element once."""
        chosen = np.asanyarray(indices)
        if axis is None:
            shape = chosen.shape
        else:
            at = range(self.ndim)[axis]
            shape = (*self.shape[:at], *chosen.shape, *self.shape[at + 1 :])
        spend(chosen.nbytes + 2 * math.prod(shape) * self.itemsize)
        return result(shape, self.dtype) if out is None else out

    @unmeasured
    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        """Return the repeated elements; charge the time to read each element and write each repetition once."""
        length = self.size if axis is None else self.shape[axis]
        if is_folded(repeats):
            raise contents_matter("repeat with folded counts")
        total = int(np.broadcast_to(np.asarray(repeats), (length,)).sum())
        shape = [total] if axis is None else list(self.shape)
        if axis is not None:
            shape[axis] = total
        spend(self.nbytes + math.prod(shape) * self.itemsize)
        return folded(shape, self.dtype)

    @unmeasured
    def compress(self, condition: Any, axis: Any = None, out: Any = None) -> Any:
        """Return the selected elements; charge the rank the time to read and write each of them once."""
        if is_folded(condition):
            raise contents_matter("compress with a folded condition", "pass a plain array as the condition")
        return self.take(np.flatnonzero(condition), axis, out)

    @unmeasured
    def put(self, indices: Any, values: Any, mode: Any = "raise") -> None:
        """Charge the rank the time to read the indices, and to read and write one element per index.

        The memory stays unchanged.
        """
        spend(np.asanyarray(indices).nbytes + 2 * np.size(indices) * self.itemsize)

    @unmeasured
    def choose(self, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
        """Return an array of the same shape; charge the rank the time to read both operands and write the result."""
        first = np.asanyarray(choices[0])
        spend(self.nbytes + 2 * self.size * first.itemsize)
        return folded(self.shape, first.dtype) if out is None else out

    @unmeasured
    def dot(self, b: Any, out: Any = None) -> Any:
        """Return `numpy.dot` of the arrays; an active BLAS model determines its time."""
        return np.dot(self, b, out)

    def __matmul__(self, other: Any) -> Any:
        return np.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return np.matmul(other, self)

    def nonzero(self) -> NoReturn:
        """Raise an error: the result would depend on the contents, which a folded array does not have."""
        raise contents_matter("nonzero of a folded array", "use an assumed number of nonzero elements instead")


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _of_region(key: Any) -> Any:
    """Return the index `key` in a form with which NumPy yields an array even for a single element."""
    if isinstance(key, str) or any(part is Ellipsis for part in _parts(key)):
        return key
    return (*_parts(key), Ellipsis)


def _filled_shape(shape: Sequence[int], size: int) -> tuple[int, ...]:
    return np.broadcast_to(np.int8(), (size,)).reshape(shape).shape


def _viewed(array: FoldedArray, shape: Sequence[int]) -> FoldedArray | None:
    """Return a view of the array in another shape, or None if that needs a copy."""
    try:
        if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
            same: FoldedArray = np.ndarray.reshape(array, shape, copy=False)  # type: ignore[assignment]
            return same
        viewed = array.view()
        viewed.shape = _filled_shape(shape, array.size)
    except (AttributeError, ValueError):
        return None
    return viewed


def _fitting(value: Any, shape: Sequence[int]) -> int:
    """Return the size in bytes of a value to be assigned to this shape; raise ValueError if the shapes do not match."""
    if not isinstance(value, np.ndarray):
        return 0
    spare = value.ndim - len(shape)
    fits = all(n == 1 for n in value.shape[: max(spare, 0)])
    if not fits or any(n not in (1, m) for n, m in zip(value.shape[::-1], shape[::-1], strict=False)):
        raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {tuple(shape)}")
    return value.nbytes


def _is_same(region: Any, value: Any) -> bool:
    """Return whether both arguments are the same view of one array.

    Equal addresses do not suffice, because all folded arrays start at the same address.
    """
    return (
        isinstance(value, np.ndarray)
        and value.base is region.base
        and value.__array_interface__ == region.__array_interface__
    )


@unmeasured
def _assign(region: Any, value: Any) -> None:
    if not _is_same(region, value):  # array[key] += … assigns a view to itself, which takes no time
        _fitting(value, region.shape)
        spend_on([value] if isinstance(value, np.ndarray) else [], [region])


@unmeasured
def assign_to_plain(plain: "np.ndarray[Any, np.dtype[Any]]", key: Any, value: FoldedArray) -> None:
    """Charge the rank the time of ``plain[key] = value``; the plain array keeps its contents, because the values of a
    folded array do not matter."""
    if is_basic(key):
        _assign(plain[_of_region(key)], value)
    else:
        shape = selected_shape(plain.shape, key, at_most=True)
        spend(value.nbytes + math.prod(shape) * plain.itemsize)
