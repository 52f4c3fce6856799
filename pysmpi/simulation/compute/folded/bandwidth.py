"""Memory bandwidth of a rank as a function of the reuse distance: bytes touched since the last use of the data."""

import bisect
import math
from collections.abc import Sequence

__all__ = ["Bandwidth"]


class Bandwidth:
    """Bandwidths by reuse distance, which is the number of bytes touched from one use of a byte to the next.

    Data whose reuse distance is below the size of a cache are still in that cache (stack distance: R. L. Mattson, J.
    Gecsei, D. R. Slutz, I. L. Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2),
    1970). Between the distances of two points, the time per byte is linear in the logarithm of the distance.
    """

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        """Set the bandwidth in bytes/s at each reuse distance in bytes.

        The points are (distance, bandwidth) in ascending order of distance. The bandwidth of the last point also
        applies to all larger distances.
        """
        self._places = [math.log2(max(distance, 1.0)) for distance, _ in points]
        self._seconds = [1.0 / bandwidth for _, bandwidth in points]
        self.is_flat = len(points) == 1

    def seconds_per_byte(self, distance: float) -> float:
        """Return the time in seconds to read or write one byte at this reuse distance (bytes)."""
        if self.is_flat or distance == math.inf:
            return self._seconds[-1]
        after, share = self._between(distance)
        if after in (0, len(self._places)):
            return self._seconds[min(after, len(self._places) - 1)]
        return self._seconds[after - 1] * (1.0 - share) + self._seconds[after] * share

    def memory_share(self, distance: float) -> float:
        """Return the share (0 to 1) of the bytes at this reuse distance that come from memory, not from a cache.

        The share is 0 up to the distance of the last but one point and 1 from that of the last point on; in between it
        rises. With a single point, which is the bandwidth of memory, the share is always 1.
        """
        if self.is_flat or distance == math.inf:
            return 1.0
        after, share = self._between(distance)
        last = len(self._places)
        return 1.0 if after == last else share if after == last - 1 else 0.0

    @property
    def of_memory(self) -> float:
        """Bandwidth in bytes/s of data that are in no cache."""
        return 1.0 / self._seconds[-1]

    def _between(self, distance: float) -> tuple[int, float]:
        """Return the index of the first point beyond this distance, and the relative position (0 to 1) of the distance
        between that point and the one before."""
        place = math.log2(max(distance, 1.0))
        after = bisect.bisect_right(self._places, place)
        if after in (0, len(self._places)):
            return after, 0.0
        low, high = self._places[after - 1], self._places[after]
        return after, (place - low) / (high - low)
