"""What a rank reads and writes in a second, by how far away the data are."""

import bisect
import math
from collections.abc import Sequence

__all__ = ["Bandwidth"]


class Bandwidth:
    """Bandwidths by distance: how many bytes a rank has touched since it last touched the same ones, these included.

    Data nearer than a cache is large are still in it (the stack distance of R. L. Mattson, J. Gecsei, D. R. Slutz,
    I. L. Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970). Between the
    distances that are given the time a byte takes is linear in the logarithm of the distance.
    """

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        """Distances, in bytes and ascending, and the bytes/s there; the last holds for all beyond."""
        self._places = [math.log2(max(distance, 1.0)) for distance, _ in points]
        self._seconds = [1.0 / bandwidth for _, bandwidth in points]
        self.is_flat = len(points) == 1

    def seconds_per_byte(self, distance: float) -> float:
        """How long a byte at this distance takes."""
        if self.is_flat or distance == math.inf:
            return self._seconds[-1]
        after, share = self._between(distance)
        if after in (0, len(self._places)):
            return self._seconds[min(after, len(self._places) - 1)]
        return self._seconds[after - 1] * (1.0 - share) + self._seconds[after] * share

    def memory_share(self, distance: float) -> float:
        """Which part of the bytes at this distance is in no cache: all from the last distance given on, none before the
        last but one. One bandwidth alone is memory's.
        """
        if self.is_flat or distance == math.inf:
            return 1.0
        after, share = self._between(distance)
        last = len(self._places)
        return 1.0 if after == last else share if after == last - 1 else 0.0

    @property
    def of_memory(self) -> float:
        """Bytes/s beyond all caches."""
        return 1.0 / self._seconds[-1]

    def _between(self, distance: float) -> tuple[int, float]:
        """The first of the distances given that is beyond this one, and how far it is from the one before to there."""
        place = math.log2(max(distance, 1.0))
        after = bisect.bisect_right(self._places, place)
        if after in (0, len(self._places)):
            return after, 0.0
        low, high = self._places[after - 1], self._places[after]
        return after, (place - low) / (high - low)
