"""Detection of detours (interruptions by the operating system) in the times of equal pieces of work.

The method of the benchmark FWQ (Sottile and Minnich, "Analysis of microbenchmarks for performance tuning of clusters",
Cluster 2004): a core repeats the same work, and whatever makes one repetition longer than usual is a detour of the
operating system.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Stretch", "detours_in"]

_DEVIATIONS = 6.0  # standard deviations above the usual time from which a piece of work holds a detour
_LEAST = 5e-7  # seconds: shorter detours cannot be told from the clock's own noise
_OF_NORMAL = 1.4826  # standard deviation of a normal distribution over its median absolute deviation


class Stretch(NamedTuple):
    """Measurement without a break on one core.

    Attributes:
        quanta: number of equal pieces of work.
        usual: usual time of a piece in seconds, without detours.
        threshold: length in seconds from which a detour is noticed.
        lengths: lengths of the detours in seconds.
    """

    quanta: int
    usual: float
    threshold: float
    lengths: tuple[float, ...]

    @property
    def computed(self) -> float:
        """Seconds of work, without detours."""
        return self.quanta * self.usual


def detours_in(times: NDArray[np.float64]) -> Stretch:
    """Return the detours in the times of equal pieces of work.

    The usual time is the median. A piece that takes clearly longer holds one detour: its time less the usual one.

    Args:
        times: array of float64, the seconds of each piece in order.
    """
    usual = float(np.median(times))
    spread = _OF_NORMAL * float(np.median(np.abs(times - usual)))
    threshold = max(_DEVIATIONS * spread, _LEAST)
    excess = times - usual
    return Stretch(len(times), usual, threshold, tuple(excess[excess > threshold].tolist()))
