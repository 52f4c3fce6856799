"""Durations as straight lines between breakpoints that are found: a + b·bytes, with other a and b in each segment.

The best lines and breakpoints together, for all numbers of segments at once, by dynamic programming over the sizes
(R. Bellman, "On the approximation of curves by line segments", 1961): the sum of the squares of relative errors, over
their variance, and a penalty of three parameters a segment by Schwarz's criterion. No a and no b is below zero.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

__all__ = ["Segment", "line_at", "segments"]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

_LEAST_SIZES = 3  # of a segment
_FINEST = 1e-5  # relative error that is none: that of exact times written in decimal
_PARAMETERS = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """A line that holds from one size to another, both measured.

    Attributes:
        first: size in bytes.
        last: size in bytes.
        startup: seconds.
        per_byte: seconds.
    """

    first: int
    last: int
    startup: float
    per_byte: float

    def __call__(self, size: float) -> float:
        """Return the duration."""
        return self.startup + self.per_byte * size


def line_at(lines: Sequence[Segment], size: float) -> Segment:
    """Return the line that holds at a size: between two the one before, beyond the last the last."""
    return next((line for line in reversed(lines) if line.first <= size), lines[0])


def segments(
    sizes: Sequence[int], seconds: Sequence[float], breaks: Sequence[int] | None = None, forced: Sequence[int] = ()
) -> list[Segment]:
    """Fit the lines.

    Args:
        sizes: in bytes, ascending, each once.
        seconds: the duration of each, above zero.
        breaks: sizes at which a segment begins, where they are known; None: they are found.
        forced: sizes at which one begins among others that are found.
    """
    x = np.array(sizes, float)
    y = np.array(seconds, float)
    given = sorted({*forced, *(breaks or ())})
    bounds = [0, *sorted({int(np.searchsorted(x, place)) for place in given} - {0, len(x)}), len(x)]
    pieces: list[tuple[int, int]] = []
    for start, stop in pairwise(bounds):
        pieces += [(start, stop)] if breaks is not None else _split(x[start:stop], y[start:stop], start)
    found = []
    for start, stop in pieces:
        startup, per_byte, _ = _lines(x[start:stop], y[start:stop])
        found.append(Segment(int(x[start]), int(x[stop - 1]), float(startup[0, -1]), float(per_byte[0, -1])))
    return found


def _split(x: Vector, y: Vector, offset: int) -> list[tuple[int, int]]:
    """Return the best pieces, by the first index and the one past the last."""
    count = len(x)
    if count < 2 * _LEAST_SIZES:
        return [(offset, offset + count)]
    costs = _lines(x, y)[2] / _variance(x, y) + _PARAMETERS * math.log(count)
    short = np.arange(count)[None, :] - np.arange(count)[:, None] + 1 < _LEAST_SIZES
    costs = np.where(short, np.inf, costs)
    best = np.full(count + 1, np.inf)
    best[0] = 0.0
    begin = np.zeros(count + 1, int)
    for stop in range(1, count + 1):
        totals = best[:stop] + costs[:stop, stop - 1]
        begin[stop] = int(np.argmin(totals))
        best[stop] = totals[begin[stop]]
    pieces = []
    stop = count
    while stop > 0:
        pieces.append((offset + int(begin[stop]), offset + stop))
        stop = int(begin[stop])
    return pieces[::-1]


def _variance(x: Vector, y: Vector) -> float:
    """Of the relative errors: by how far each point is from the line through its neighbours, of which few are breaks.

    The median of their distances, so that breaks and outliers have no say.
    """
    part = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    apart = (y[1:-1] - (1 - part) * y[:-2] - part * y[2:]) / y[1:-1]
    spread = np.sqrt(1 + part**2 + (1 - part) ** 2)
    deviation = 1.4826 * float(np.median(np.abs(apart / spread)))
    return max(deviation, _FINEST) ** 2


def _lines(x: Vector, y: Vector) -> tuple[Matrix, Matrix, Matrix]:
    """Of each stretch from index i to j: startup, seconds a byte, and the sum of the squares of relative errors."""
    scale = max(float(x.max()), 1.0)
    z, w = x / scale, 1 / y**2

    def sums(values: Vector) -> Matrix:
        """Added up from each start on: differences of sums from the first on would lose short times among long ones."""
        found: Matrix = np.cumsum(np.triu(np.tile(values, (len(values), 1))), axis=1)
        return found

    below = np.tril(np.ones((len(x), len(x)), bool), -1)  # no stretch ends before it begins
    s, sx, sy, sxx, sxy = (sums(each) + below for each in (w, w * z, w * y, w * z * z, w * z * y))
    count = sums(np.ones(len(x)))  # = sum of w y²
    spread = s * sxx - sx**2
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(spread > 1e-12 * s * sxx, (s * sxy - sx * sy) / spread, 0.0)
        start = (sy - slope * sx) / s
        through_zero = np.where(sxx > 0, sxy / sxx, 0.0)
        level = sy / s
    errors_of_level = count - level * sy
    errors_through_zero = np.where(sxx > 0, count - through_zero * sxy, np.inf)
    best_of_both = errors_of_level <= errors_through_zero
    inside = (slope >= 0) & (start >= 0)
    slope = np.where(inside, slope, np.where(best_of_both, 0.0, through_zero))
    start = np.where(inside, start, np.where(best_of_both, level, 0.0))
    errors = np.maximum(
        count - 2 * (start * sy + slope * sxy) + start**2 * s + 2 * start * slope * sx + slope**2 * sxx, 0
    )
    return start, slope / scale, errors
