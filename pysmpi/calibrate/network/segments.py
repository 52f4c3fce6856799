"""Piecewise linear fit of durations: a + b·bytes, with separate a and b for each segment of sizes.

Lines and breakpoints are optimised together, for all numbers of segments at once, by dynamic programming over the sizes
(R. Bellman, "On the approximation of curves by line segments", 1961). The cost is the sum of squared relative errors
over their variance, plus a penalty of three parameters per segment by Schwarz's criterion. a and b are zero or more.
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

_LEAST_SIZES = 3  # least number of sizes in a segment
_FINEST = 1e-5  # relative error of exact times written in decimal
_PARAMETERS = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """Line for a range of measured sizes.

    Attributes:
        first: first size in bytes.
        last: last size in bytes.
        startup: time at zero bytes in seconds.
        per_byte: seconds per byte.
    """

    first: int
    last: int
    startup: float
    per_byte: float

    def __call__(self, size: float) -> float:
        """Return the duration in seconds for a size in bytes."""
        return self.startup + self.per_byte * size


def line_at(lines: Sequence[Segment], size: float) -> Segment:
    """Return the line for a size: the line that starts at or before it, or the first line for smaller sizes."""
    return next((line for line in reversed(lines) if line.first <= size), lines[0])


def segments(
    sizes: Sequence[int], seconds: Sequence[float], breaks: Sequence[int] | None = None, forced: Sequence[int] = ()
) -> list[Segment]:
    """Return the fitted lines in order of size, one per segment.

    Args:
        sizes: distinct sizes in bytes, in increasing order.
        seconds: duration of each size, above zero.
        breaks: sizes at which segments start, or None to find them automatically.
        forced: further sizes at which segments start, also if breakpoints are found automatically.
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
    """Return the best segments as pairs (start, stop) of indices into the sizes; `stop` is exclusive."""
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
    """Return the variance of the relative errors, from the distance of each point to the line through its neighbours.

    The median of these distances is used, so that breakpoints and outliers have no influence.
    """
    part = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    apart = (y[1:-1] - (1 - part) * y[:-2] - part * y[2:]) / y[1:-1]
    spread = np.sqrt(1 + part**2 + (1 - part) ** 2)
    deviation = 1.4826 * float(np.median(np.abs(apart / spread)))
    return max(deviation, _FINEST) ** 2


def _lines(x: Vector, y: Vector) -> tuple[Matrix, Matrix, Matrix]:
    """Return the best line for each range of sizes: startup, seconds per byte and sum of squared relative errors.

    Each result is a matrix; its element [i, j] belongs to the sizes with indices i to j.
    """
    scale = max(float(x.max()), 1.0)
    z, w = x / scale, 1 / y**2

    def sums(values: Vector) -> Matrix:
        """Return running sums from each start index; differences of a single running sum would lose precision."""
        found: Matrix = np.cumsum(np.triu(np.tile(values, (len(values), 1))), axis=1)
        return found

    # Ranges that end before they start (below the diagonal) are never used. Adding 1 avoids divisions by zero there.
    below = np.tril(np.ones((len(x), len(x)), bool), -1)
    s, sx, sy, sxx, sxy = (sums(each) + below for each in (w, w * z, w * y, w * z * z, w * z * y))
    count = sums(np.ones(len(x)))  # equals the sum of w y²
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
