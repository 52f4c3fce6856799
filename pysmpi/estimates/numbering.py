"""Translation of value numbers from the program's arrays to the record, from which repeated steps are removed.

Arrays keep the numbers that their values got when they were computed. The number of a removed value stands for the
value at the same position of the step before. Example: 10 values are computed before a loop, and 5 in each of its
steps; the third step, with the numbers 20 to 24, is removed. Then 22 stands for 17, and 25 has the number 20 in the
record.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

__all__ = ["Numbers"]


class Numbers:
    """Translator of value numbers from the program's arrays to the record.

    The numbers in arrays are divided into intervals. In an interval without a period, successive numbers stand for
    successive values of the record. In one with a period p, all numbers that differ by multiples of p stand for the
    same value.
    """

    def __init__(self) -> None:
        self.removed = 0
        """Number of values that have been removed from the record."""
        # Columns of intervals: first number, its number in the record, and the period, or 0 for none.
        self._begin, self._stored, self._period = (np.zeros(1, np.int32) for _ in range(3))
        self._last = 0  # first number of the last interval, which has no period

    def stored(self, values: Array) -> Array:
        """Return the record's numbers for an array of value numbers that the program's arrays hold."""
        if not self.removed:
            return values
        if values.size and values.min() >= self._last:
            return values - np.int32(self.removed)
        interval = np.searchsorted(self._begin, values, "right") - 1
        offset, period = values - self._begin[interval], self._period[interval]
        found: Array = self._stored[interval] + np.where(period > 0, offset % np.maximum(period, 1), offset)
        return found

    def stored_one(self, value: int) -> int:
        """Return the record's number for one value number that an array of the program holds."""
        return value - self.removed if value >= self._last else int(self.stored(np.array(value, np.int32)))

    def remove(self, first: int, end: int) -> None:
        """Remove the values from `first` to `end` (numbers in the record, without `end`).

        From now on their numbers in arrays stand for the values just before, which are equally many.
        """
        count = end - first
        for at in (first - count, first, end):
            self._split(at)
        self._stored[self._stored >= first] -= count
        self.removed += count
        self._join(first - count, count)
        self._last = int(self._begin[-1])

    def _lengths(self) -> Array:
        return np.diff(self._begin, append=np.iinfo(np.int32).max)

    def _split(self, at: int) -> None:
        """Divide each interval of numbers that contains the record's number `at`, so that a new one begins with it.

        Intervals with a period stay whole.
        """
        offset = at - self._stored
        inside = np.flatnonzero((self._period == 0) & (offset > 0) & (offset < self._lengths()))
        begin = self._begin[inside] + offset[inside]
        self._begin = np.insert(self._begin, inside + 1, begin)
        self._stored = np.insert(self._stored, inside + 1, at)
        self._period = np.insert(self._period, inside + 1, 0)

    def _join(self, stored: int, period: int) -> None:
        """Join neighbouring intervals whose numbers stand for the same values of the record.

        Args:
            stored: number of the first of these values in the record.
            period: number of these values.
        """
        whole = (self._stored == stored) & (self._lengths() % period == 0)
        whole &= (self._period == 0) | (self._period == period)
        second = whole & np.concatenate([[False], whole[:-1]])
        self._period[whole & (second | np.concatenate([second[1:], [False]]))] = period
        self._begin, self._stored, self._period = (each[~second] for each in (self._begin, self._stored, self._period))
