"""Rules (see `pysmpi.estimates.rules`) of NumPy's functions that insert, choose or overwrite elements.

Functions that call a function of the program for each line or element of an array have rules here, too.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates import axes
from pysmpi.estimates.record import TEMPORARY, Array
from pysmpi.estimates.rules import rule
from pysmpi.estimates.traced import TracedArray, current, indices, is_traced, moved, plain, result, values_of

__all__ = ["Vectorized"]


@rule("insert")
def _insert(array: Any, index: Any, values: Any, axis: Any = None) -> Any:
    data = np.insert(plain(array), indices(index), plain(values), axis)
    added = values_of(values) if is_traced(values) else np.full(np.shape(values), -1)
    found = np.array(np.insert(values_of(array).astype(np.int64), plain(index), added, axis))
    blank = found < 0
    found[blank] = current().fresh(np.full(int(blank.sum()), -1), TEMPORARY)
    return moved(data, found)


@rule("append")
def _append(array: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate([np.ravel(array), np.ravel(values)])
    return np.concatenate([array, values], axis=axis)


@rule("compress")
def _compress(condition: Any, array: Any, axis: Any = None) -> Any:
    return np.take(array, np.flatnonzero(indices(condition)), axis=axis)


@rule("ix_")
def _ix(*inputs: Any) -> Any:
    return np.ix_(*indices(inputs))


@rule("extract")
def _extract(condition: Any, array: Any) -> Any:
    return np.ravel(array)[np.ravel(indices(condition)).astype(bool)]


@rule("choose")
def _choose(index: Any, choices: Any, **options: Any) -> Any:
    data = np.choose(indices(index), plain(choices), **options)
    places = np.indices(data.shape)
    tables = np.stack([np.broadcast_to(values_of(each), data.shape) for each in choices])
    number = np.broadcast_to(plain(index), data.shape) % len(tables)
    found = result(data)
    current().flow(tables[(number, *places)], found.val)
    if is_traced(index):
        current().flow(values_of(index), found.val)
    return found


@rule("put")
def _put(array: TracedArray, index: Any, values: Any, **_: Any) -> None:
    index = np.ravel(indices(index))
    places = np.unravel_index(index % array.size, array.shape)
    array[places] = np.resize(values, index.shape)


@rule("place")
def _place(array: TracedArray, mask: Any, values: Any) -> None:
    chosen = indices(mask).astype(bool)
    array[chosen] = np.resize(values, int(chosen.sum()))


@rule("putmask")
def _putmask(array: TracedArray, mask: Any, values: Any) -> None:
    chosen = indices(mask).astype(bool)
    array[chosen] = np.resize(values, array.shape)[chosen]


@rule("fill_diagonal")
def _fill_diagonal(array: TracedArray, values: Any, wrap: bool = False) -> None:
    flat = np.zeros(array.shape, bool)
    np.fill_diagonal(flat, True, wrap)
    array[flat] = np.resize(values, int(flat.sum())) if np.ndim(plain(values)) else values


@rule("apply_along_axis")
def _along_axis(function: Callable[..., Any], axis: int, array: Any, *inputs: Any, **options: Any) -> Any:
    lines = np.moveaxis(array, axis, -1)
    found = [function(lines[place], *inputs, **options) for place in np.ndindex(lines.shape[:-1])]
    stacked = np.stack(found).reshape(lines.shape[:-1] + np.shape(plain(found[0])))
    own = stacked.ndim - (lines.ndim - 1)
    return np.moveaxis(stacked, range(lines.ndim - 1, stacked.ndim), range(axis % lines.ndim, axis % lines.ndim + own))


@rule("cov")
def _covariance(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, **options: Any
) -> Any:
    data = np.cov(plain(m), plain(y), rowvar, bias, ddof, **plain(options))
    return _products_of_deviations(data, m, y, rowvar=rowvar)


@rule("corrcoef")
def _correlation(x: Any, y: Any = None, rowvar: bool = True, **options: Any) -> Any:
    return _products_of_deviations(np.corrcoef(plain(x), plain(y), rowvar, **options), x, y, rowvar=rowvar)


def _products_of_deviations(data: Any, m: Any, y: Any, *, rowvar: bool) -> Any:
    """Return a traced matrix of covariances or correlations.

    Element (i, j) depends on the sum over all observations of the product of variables i's and j's deviations.
    """
    rows = [np.atleast_2d(values_of(each)) for each in (m, y) if each is not None]
    values: Array = np.concatenate([each if rowvar or len(each) == 1 else each.T for each in rows])
    mean = axes.reduced(np.zeros((len(values), 1)), values, 1)
    deviation = axes.map_result(np.zeros(values.shape), [values, mean.val]).val
    sizes = {"a": len(values), "b": len(values), "i": values.shape[1]}
    sums = axes.contracted(np.zeros((len(values),) * 2), ["ai", "bi"], "ab", [deviation, deviation], sizes)
    return axes.map_result(data, [sums.val.reshape(np.shape(data))])


class Vectorized:
    """Replacement of numpy.vectorize for a traced program: it calls a function of the program for each element.

    Args:
        function: function of the program.
        otypes: types of its results, or None for those of the first call.
    """

    def __init__(self, function: Callable[..., Any], otypes: Any = None, **_: Any) -> None:
        self._function = function
        self._types = otypes

    def __call__(self, *inputs: Any) -> Any:
        shape = np.broadcast_shapes(*(np.shape(plain(each)) for each in inputs))
        lines = [np.broadcast_to(each, shape) for each in inputs]
        found = [self._function(*(each[place] for each in lines)) for place in np.ndindex(shape)]
        if isinstance(found[0], tuple):
            return tuple(self._array([each[i] for each in found], shape, i) for i in range(len(found[0])))
        return self._array(found, shape, 0)

    def _array(self, elements: list[Any], shape: tuple[int, ...], number: int) -> Any:
        kind = np.asarray(plain(elements[0])).dtype if self._types is None else np.dtype(self._types[number])
        data = np.array(plain(elements), dtype=kind).reshape(shape)
        values = np.array([int(np.asarray(values_of(each))) for each in elements]).reshape(shape)
        return moved(data if shape else data[()], values)
