"""Median and interval of repeated runs."""

import itertools

import pytest

from pysmpi.util.spread import Spread


@pytest.mark.parametrize(
    ("count", "low", "high", "probability"),
    [
        (1, 0, 0, 0.0),
        (2, 0, 1, 1 / 3),
        (5, 0, 4, 4 / 6),
        (19, 0, 18, 18 / 20),
        (38, 0, 37, 37 / 39),
        (39, 1, 37, 36 / 40),
    ],
)
def test_interval(count: int, low: int, high: int, probability: float) -> None:
    """Outer values are left out once the interval then still holds a further run in nine of ten cases."""
    spread = Spread.of(float(value) for value in reversed(range(count)))
    assert (spread.low, spread.high) == (low, high)
    assert spread.probability == pytest.approx(probability)
    assert spread.median == (count - 1) / 2
    assert spread.is_constant == (count == 1)


def test_probability_is_that_of_all_orders() -> None:
    """The last of four equally drawn values lies between the other three in half of the orders."""
    orders = list(itertools.permutations(range(4)))
    inside = sum(Spread.of(order[:3]).low < order[3] < Spread.of(order[:3]).high for order in orders)
    assert inside / len(orders) == pytest.approx(Spread.of(range(3)).probability)


def test_cells() -> None:
    assert Spread((2.0, 1.0, 4.0)).cells("{:g} s".format) == ("2 s", "1 s to 4 s", "-50.00% to +100.00%")
    assert Spread((0.0, 0.0)).cells(str) == ("0.0", "0.0 to 0.0", "")
