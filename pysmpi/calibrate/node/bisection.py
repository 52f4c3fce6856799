"""Bisection of the gaps between measured sizes of messages, where the times do not lie on one line.

Suppose that messages of 16, 64 and 256 KiB take 3, 23 and 44 us. The line from 16 to 256 KiB says 11 us for 64 KiB, so
something happens on one of its sides, such as another protocol from 40,000 B on. The next sizes are therefore 32 and
128 KiB. When these are measured, the times from 64 KiB on lie on one line, and the next sizes are around 32 KiB.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

__all__ = ["sizes_between"]

_NARROW = 1.1  # ratio of neighbouring sizes up to which their gap is not divided
_NARROW_JUMP = 1.01  # the same where the times jump, so that neither of the two is on the line through its neighbours
_BENT = 0.03  # relative distance of a time from the line through its neighbours up to which the line holds


def sizes_between(times: Mapping[int, Sequence[float]], most: int) -> list[int]:
    """Return further sizes in bytes to measure, in increasing order, or none if straight lines hold everywhere.

    A gap is divided at the geometric mean of its sizes, if the median time of one of them is farther from the line
    through its neighbours than 3 %, and than twice the standard errors of these medians. Division ends at sizes a
    factor of 1.1 apart, or of 1.01 if neither of their times is on the line through its neighbours, as where times
    jump.

    Args:
        times: measured seconds by size in bytes, one or more each.
        most: largest number of sizes to return. Gaps beside times that are far from the line come first.
    """
    sizes = sorted(times)
    inner = [_distance(times, *three) for three in zip(sizes, sizes[1:], sizes[2:], strict=False)]
    if not inner:
        return []
    distances = [inner[0], *inner, inner[-1]]  # the first and the last size take their neighbour's distance
    found = []
    for (start, stop), (one, other) in zip(pairwise(sizes), pairwise(distances), strict=False):
        middle = round(math.sqrt(start * stop))
        narrow = _NARROW_JUMP if min(one, other) > 0 else _NARROW
        if max(one, other) > 0 and stop > narrow * start and start < middle < stop:
            found.append((-max(one, other), middle))
    return sorted(middle for _, middle in sorted(found)[:most])


def _distance(times: Mapping[int, Sequence[float]], before: int, size: int, after: int) -> float:
    """Return the distance of a size's time from the line through its neighbours, relative to the larger of the two
    times, or 0 if it is within the measurement error."""
    part = (size - before) / (after - before)
    shares = {before: 1 - part, size: 1.0, after: part}
    middle = {each: statistics.median(times[each]) for each in shares}
    line = (1 - part) * middle[before] + part * middle[after]
    apart = abs(line - middle[size])
    scatter = sum(share * _standard_error(times[each]) for each, share in shares.items())
    return 0.0 if apart <= max(_BENT * middle[size], 2 * scatter) else apart / max(line, middle[size])


def _standard_error(seconds: Sequence[float]) -> float:
    """Return the standard error of the median of normally distributed values, from the range between quartiles."""
    low, high = np.percentile(seconds, [25, 75])
    return 0.93 * float(high - low) / math.sqrt(len(seconds))
