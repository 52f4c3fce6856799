"""Search for the smallest set of functions of one parameter that span all lines of the measurements.

A line is the measured values along one parameter, where all other parameters are fixed.

Example: along p, ``3*n + 2*n*log2(p) + 5*log2(p)`` has values in the span of 1 and log2(p), for every n. Along n, they
are in the span of 1 and n, for every p. So the functions of each parameter can be found separately.
"""

import itertools
from collections.abc import Iterator
from functools import cache

import numpy

from pysmpi.formulas.growth.candidates import candidates, columns
from pysmpi.formulas.growth.data_points import Lines
from pysmpi.formulas.growth.leave_one_out import left_out
from pysmpi.formulas.growth.normal_form import Array, Growth

__all__ = ["EXACT", "balanced", "smallest_set"]

EXACT = 1e-9
"""Largest relative error of predicting one measurement from all others with which a model is called exact."""

_MOST = 3  # largest number of functions in a set
_CHUNK = 1500  # number of pairs of functions that are extended by a third function in one NumPy operation
_SCREEN = 1e-6  # largest relative residual of a set of three functions whose leave-one-out error is computed


def smallest_set(lines: Lines) -> list[Growth] | None:
    """Return the smallest set of functions of which every measured line is a linear combination.

    A line is the measured values along one parameter; each line has coefficients of its own. Among sets of the same
    size, the one with the smallest leave-one-out error (of predicting one value from all others) is returned.

    A set has at most 3 functions. If the parameter has m values, it has at most m - 2, so that each line has at least
    two more values than coefficients. Only the constant function is also tried with two values.

    Returns:
        The functions, or None if no set has a leave-one-out error below `EXACT`.
    """
    growths = candidates(lines.places)
    weights, values = balanced(lines.values)
    functions = columns(growths, lines.places) * weights[:, None]
    lengths = numpy.sqrt((functions**2).sum(axis=0))
    functions = functions / numpy.where(lengths > 0, lengths, 1.0)
    places = len(lines.places)
    if left_out(functions[None, :, :1], values)[0] < EXACT:
        return growths[:1]
    if places > 1 and values.shape[1] > places:
        left, sizes, _ = numpy.linalg.svd(values, full_matrices=False)
        values = left * sizes  # the same span, and rows of the same lengths, in fewer columns
    for size in range(1, min(_MOST, places - 2) + 1):
        best, chosen = EXACT, None
        for sets in _sets(functions, values, size):
            errors = left_out(functions.T[sets].swapaxes(1, 2), values)
            if len(errors) and errors.min() < best:
                best, chosen = float(errors.min()), sets[int(errors.argmin())]
        if chosen is not None:
            return [growths[index] for index in chosen]
    return None


def balanced(values: Array) -> tuple[Array, Array]:
    """Scale the rows and columns of a matrix so that the magnitudes of its elements are near 1.

    Returns:
        The factor of each row, by which functions of the rows must be multiplied as well; and the scaled matrix.
    """
    sizes = numpy.abs(values)
    largest = sizes.max()
    if largest == 0:
        return numpy.ones(len(values)), values
    sizes = numpy.maximum(sizes, 1e-6 * sizes.max(axis=0))
    sizes = numpy.where(sizes > 0, sizes, largest)
    rows = numpy.exp(-numpy.log(sizes).mean(axis=1))
    rows = rows / rows.max()
    across = numpy.exp(-numpy.log(sizes * rows[:, None]).mean(axis=0))
    return rows, values * rows[:, None] * across


def _sets(functions: Array, values: Array, size: int) -> Iterator[numpy.ndarray]:
    """Yield sets of functions of which the measured lines may be linear combinations.

    All sets of one or two functions are yielded, but of three only those that fit the values with a small residual.

    Args:
        functions: (m, k) values of k functions.
        values: (m, lines) measured values.
        size: number of functions in a set.

    Yields:
        (sets, size) indices of the functions.
    """
    count = functions.shape[1]
    if size < 3:
        yield _combinations(count, size)
        return
    limit = (_SCREEN * numpy.sqrt((values**2).sum())) ** 2
    pairs = _combinations(count, 2)
    for start in range(0, len(pairs), _CHUNK):
        yield _thirds(functions, values, pairs[start : start + _CHUNK], limit)


def _thirds(functions: Array, values: Array, pairs: numpy.ndarray, limit: float) -> numpy.ndarray:
    """Extend pairs of functions by a third one; return the triples whose residual has a square of at most `limit`.

    For each pair, its span is projected out of all functions and out of the values. A third function then lowers the
    square of the residual by the squared projection of the remaining values onto it.

    Args:
        functions: (m, k) values of k functions.
        values: (m, lines) measured values.
        pairs: (pairs, 2) indices of functions.
        limit: largest square of the residual.
    """
    basis = numpy.linalg.qr(functions.T[pairs].swapaxes(1, 2))[0]
    transposed = basis.swapaxes(1, 2)
    rest = values - basis @ (transposed @ values)
    further = functions - basis @ (transposed @ functions)
    lengths = (further**2).sum(axis=1)
    explained = ((rest.swapaxes(1, 2) @ further) ** 2).sum(axis=1) / numpy.maximum(lengths, 1e-20)
    left = (rest**2).sum(axis=(1, 2))[:, None] - explained
    left[numpy.arange(functions.shape[1]) <= pairs[:, 1:]] = numpy.inf  # each triple once
    row, third = numpy.nonzero(left <= limit)
    return numpy.concatenate([pairs[row], third[:, None]], axis=1)


@cache
def _combinations(count: int, size: int) -> numpy.ndarray:
    return numpy.array(list(itertools.combinations(range(count), size)))
