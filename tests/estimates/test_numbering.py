"""Numbers of values after repeated steps are removed."""

import numpy as np

from pysmpi.estimates.numbering import Numbers


def test_numbers_of_removed_values_stand_for_those_before() -> None:
    numbers = Numbers()
    values = np.arange(100, dtype=np.int32)
    expected = values.copy()
    # Two periods of 5 after 20, 10 removed; then an outer period of 12 from 30 on, which contains others.
    for first, end in ((25, 30), (25, 30), (42, 45), (45, 48), (36, 42), (36, 42)):
        numbers.remove(first, end)
        expected = np.where(expected >= first, expected - (end - first), expected)
        assert np.array_equal(numbers.stored(values), expected)
        assert [numbers.stored_one(each) for each in values.tolist()] == expected.tolist()
