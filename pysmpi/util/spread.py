"""Spread of a result over repeated runs: the median, and an interval that contains the result of a further run with a
known probability."""

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Spread"]

_ONE_IN = 20  # if there are enough values, one in 20 further runs may lie beyond each end of the interval


@dataclass(frozen=True)
class Spread:
    """Values of one result in repeated runs, with their median and an interval.

    The interval needs no assumption about the distribution. A further run is equally likely to take each of the n + 1
    places if all values are sorted. So it lies between the smallest and the largest of 5 values with the probability
    4/6, and between those of 19 values with 18/20. From 39 values on, the interval leaves out the outermost values: of
    39 values, it reaches from the second to the last but one, which gives 36/40.

    Attributes:
        values: the values, in the order of the runs; at least one, all finite.
    """

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """Return the spread of these values."""
        return cls(tuple(values))

    @property
    def median(self) -> float:
        """Median of the values."""
        return statistics.median(self.values)

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return sorted(self.values)[self._left_out()]

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return sorted(self.values)[-1 - self._left_out()]

    @property
    def probability(self) -> float:
        """Probability that the interval contains the value of a further run; 0 for a single value."""
        return 1 - 2 * (self._left_out() + 1) / (len(self.values) + 1)

    @property
    def is_constant(self) -> bool:
        """True if all values are equal to the bit."""
        return min(self.values) == max(self.values)

    def cells(self, text: Callable[[float], str]) -> tuple[str, str, str]:
        """Return the median, the interval, and the interval's ends relative to the median, as cells of a table.

        Args:
            text: function that writes a value with its unit.
        """
        median = self.median
        relative = f"{self.low / median - 1:+.2%} to {self.high / median - 1:+.2%}" if median else ""
        return text(median), f"{text(self.low)} to {text(self.high)}", relative

    def _left_out(self) -> int:
        """Return the number of values that are left out at each end of the interval."""
        return max(1, (len(self.values) + 1) // _ONE_IN) - 1
