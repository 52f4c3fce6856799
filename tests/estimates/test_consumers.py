"""Only consumers of values."""

import numpy as np

from pysmpi.estimates.consumers import only_consumers


def test_values_with_none_or_several_have_no_only_consumer() -> None:
    source, sink = np.array([0, 1, 1, 2, 2]), np.array([5, 6, 7, 8, 8])
    assert only_consumers(source, sink, 4).tolist() == [5, -1, 8, -1]
