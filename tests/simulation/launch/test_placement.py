"""Which host each rank runs on."""

from fractions import Fraction

import pytest

from pysmpi.platform import Cluster
from pysmpi.simulation.launch.placement import by_cores, repeated


@pytest.mark.parametrize(
    ("factor", "hosts"),
    [
        (Fraction(1), [0, 0, 0, 0, 1, 1]),
        (Fraction(2), [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3]),
        (Fraction(3, 2), [0, 0, 0, 0, 1, 1, 2, 2, 2]),
        (Fraction(1, 2), [0, 0, 0]),
        (Fraction(1, 100), [0]),
    ],
)
def test_more_ranks_leave_as_many_on_a_host(factor: Fraction, hosts: list[int]) -> None:
    assert repeated(by_cores(6, Cluster(2, cores=4).build()), factor) == hosts
