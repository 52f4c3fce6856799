"""Dependences along the axes of arrays: sums, scans (running sums), and results that depend on whole lines of elements.

A function with the argument `data`, a result that NumPy has computed, returns it as a traced array or scalar and
records which values it depends on. `work` is the number of floating-point operations for each element of the result.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pysmpi.estimates.record import SCAN, SUM, TEMPORARY, Array
from pysmpi.estimates.traced import current, result

__all__ = ["lines", "map_result", "meet_along", "reduced", "scanned", "triangular"]

_EXPLICIT = 20_000_000  # largest number of products that are recorded one by one, if the result is small


def map_result(data: Any, sources: Sequence[Array], work: float = 1.0) -> Any:
    """Return a traced result, and record that each element depends on the elements of the sources at its position.

    Args:
        data: the result that NumPy has computed.
        sources: numbers of the values of each source, as arrays that broadcast to the shape of the result.
        work: floating-point operations for each element of the result.
    """
    found = result(data, work=work)
    for each in sources:
        current().flow(each, found.val)
    return found


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes that an argument ``axis`` of NumPy's functions names, as numbers from 0.

    Example: -1 gives (2,) for an array with three axes, and None gives (0, 1, 2).
    """
    if axis is None:
        return tuple(range(ndim))
    named = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(int(each) % ndim for each in named) if ndim else ()


def lines(values: Array, axis: Any) -> Array:
    """Return an array reshaped to (lines, elements of a line), where a line extends along one or more axes.

    Example: an array of the shape (2, 3, 4) has 8 lines of 3 elements along axis 1.

    Args:
        values: the array, which contains numbers of values.
        axis: axis or axes of a line, as numpy.sum takes them; None for all axes, which gives one line.
    """
    along = axes_of(axis, values.ndim)
    rest = [each for each in range(values.ndim) if each not in along]
    count = math.prod(values.shape[each] for each in rest)
    return values.transpose([*rest, *along]).reshape(count, math.prod(values.shape[each] for each in along))


def reduced(data: Any, values: Array, axis: Any = None) -> Any:
    """Return the traced result of a reduction such as numpy.sum or numpy.max, whose elements depend on whole lines.

    Args:
        data: the result that NumPy has computed.
        values: numbers of the values that are reduced.
        axis: axis or axes along which they are reduced, or None for all axes.
    """
    found = result(data, SUM, work=0)  # each addition counts where its source is
    sources = lines(values, axis)
    current().flow(sources, np.asarray(found.val).reshape(-1, 1))
    return found


def scanned(data: Any, values: Array, axis: int) -> Any:
    """Return the traced result of a scan such as numpy.cumsum: elements depend on those before them along the axis.

    Args:
        data: the result that NumPy has computed.
        values: numbers of the values that are scanned.
        axis: axis of the scan.
    """
    found = result(data, SCAN)
    current().flow(values, found.val)
    sums = np.moveaxis(np.asarray(found.val), axis, -1)
    current().flow(sums[..., :-1], sums[..., 1:])
    return found


def meet_along(data: Any, sources: Sequence[Array], axis: Any, data_axis: Any, work: float = 1.0) -> Any:
    """Return a traced result whose elements depend on all elements of one line of each source.

    Args:
        data: the result that NumPy has computed.
        sources: numbers of the values of each source.
        axis: axes along which lines of the sources extend, as numpy.sum takes them; None for all axes.
        data_axis: axes along which the elements of the result depend on the same line; None for all axes.
        work: floating-point operations for each element of the result.
    """
    found = result(data, work=work)
    sinks = lines(np.asarray(found.val), data_axis)
    for each in sources:
        taken = lines(each, axis)
        current().meet(np.broadcast_to(taken, (len(sinks), taken.shape[1])), sinks)
    return found


def triangular(data: Any, values: Array) -> Any:
    """Return the traced result of a Cholesky factorisation: (i, j) depends on rows i and j up to column min(i, j).

    Args:
        data: the triangular factors that NumPy has computed, one or several matrices.
        values: numbers of the values of the factorised matrices.
    """
    found = result(data, work=float(values.shape[-1]) / 3)
    recorder = current()
    for matrix, factor in zip(
        values.reshape(-1, *values.shape[-2:]), found.val.reshape(-1, *values.shape[-2:]), strict=True
    ):
        recorder.flow(np.tril(matrix)[np.tril_indices(len(matrix))], factor[np.tril_indices(len(matrix))])
        for column in range(len(matrix) - 1):
            below = factor[column + 1 :, column]
            size = len(below)
            rows, columns = np.tril_indices(size)
            rest = factor[column + 1 :, column + 1 :][rows, columns]
            recorder.flow(below[rows], rest)
            recorder.flow(below[columns], rest)
        for column in range(len(matrix)):
            recorder.flow(factor[column, column], factor[column + 1 :, column])
    return found


def contracted(data: Any, letters: Sequence[str], out: str, operands: Sequence[Array], sizes: dict[str, int]) -> Any:
    """Return a traced sum of products, as numpy.einsum describes it.

    If there are few products, or the result is far smaller than the operands, as in X.T @ X for a long X, each product
    is recorded. Then nodes can add up parts of the sums. Otherwise, as in a product of square matrices, the node that
    owns an element of the result computes the whole element.

    Args:
        data: the result that NumPy has computed.
        letters: letters of the axes of each traced operand.
        out: letters of the result's axes.
        operands: numbers of the values of each traced operand.
        sizes: length of the axis of each letter.
    """
    every = out + "".join(sorted({each for word in letters for each in word} - set(out)))
    summed = every[len(out) :]
    count = int(np.prod([sizes[each] for each in every], dtype=np.int64))
    terms = count // max(int(np.prod([sizes[each] for each in out], dtype=np.int64)), 1)
    biggest = max(each.size for each in operands)
    if not summed:
        found = result(data, work=len(operands) - 1)
        for word, values in zip(letters, operands, strict=True):
            current().flow(_spread(values, word, every), found.val)
        return found
    few = count <= 8 * max(biggest, np.size(data)) or (8 * np.size(data) <= biggest and count <= _EXPLICIT)
    if few:
        shape = tuple(sizes[each] for each in every)
        products = current().fresh(np.broadcast_to(np.int32(-1), shape), kind=TEMPORARY, work=len(operands) - 1.0)
        for word, values in zip(letters, operands, strict=True):
            current().flow(_spread(values, word, every), products)
        return reduced(data, products, tuple(range(len(out), len(every))))
    found = result(data, work=float(len(operands) * terms))
    for word, values in zip(letters, operands, strict=True):
        shared = [each for each in out if each in word]
        own = [each for each in out if each not in word]
        sources = values.transpose([word.index(each) for each in [*shared, *sorted(set(word) - set(out))]])
        sinks = np.asarray(found.val).transpose([out.index(each) for each in [*shared, *own]])
        rows = math.prod(sizes[each] for each in shared)
        if sources.size and sinks.size:
            current().meet(sources.reshape(rows, -1), sinks.reshape(rows, -1))
    return found


def _spread(values: Array, word: str, every: str) -> Array:
    """Return an operand of a product with an axis for each letter in the product, so that operands can be broadcast.

    Example: an operand with the axes "jk" and the shape (3, 4) gets the shape (1, 3, 4) if `every` is "ijk".

    Args:
        values: numbers of the operand's values.
        word: letters of its axes.
        every: letters of all axes in the product.
    """
    ordered = values.transpose([word.index(each) for each in every if each in word])
    shape = iter(ordered.shape)
    return ordered.reshape([next(shape) if each in word else 1 for each in every])
