"""Sizes of messages between measured ones: they close in on jumps and bends of the times, and on nothing else."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from pysmpi.calibrate.node.bisection import sizes_between

COARSE = [1, *(4**power for power in range(2, 12))]


def bisected(time: Callable[[int], float], most: int = 100, scatter: float = 0.0) -> list[int]:
    """Return all sizes that are measured in the end."""
    draws = np.random.default_rng(0)
    times = {size: [time(size) * draws.lognormal(0, scatter) for _ in range(5)] for size in COARSE}
    while further := sizes_between(times, most - len(times)):
        assert times.keys().isdisjoint(further)
        times |= {size: [time(size) * draws.lognormal(0, scatter) for _ in range(5)] for size in further}
    return sorted(times)


def jump(threshold: int, low: float = 1e-6, high: float = 21e-6) -> Callable[[int], float]:
    return lambda size: (high if size > threshold else low) + size / 10e9


def test_one_line_needs_no_further_sizes() -> None:
    assert bisected(lambda size: 1e-6 + size / 1e9) == COARSE
    assert bisected(lambda size: 1e-6 + size / 1e9, scatter=0.2) == COARSE


@pytest.mark.parametrize("threshold", [12, 300, 8192, 40_000, 1_000_000])
@pytest.mark.parametrize(("low", "high"), [(1e-6, 21e-6), (400e-6, 10e-6)])
def test_a_jump_is_found_to_a_hundredth(threshold: int, low: float, high: float) -> None:
    sizes = bisected(jump(threshold, low, high))
    below, above = next((one, other) for one, other in pairwise(sizes) if one <= threshold < other)
    assert above - below <= max(1, 0.01 * below)
    assert len(sizes) <= len(COARSE) + 20


def test_a_jump_is_found_among_scatter() -> None:
    sizes = bisected(jump(40_000), scatter=0.1)
    below, above = next((one, other) for one, other in pairwise(sizes) if one <= 40_000 < other)
    assert above / below < 1.1


def test_a_change_of_slope_is_found_to_a_tenth() -> None:
    sizes = bisected(lambda size: 1e-6 + max(size, 40_000) / 1e9)
    below, above = next((one, other) for one, other in pairwise(sizes) if one <= 40_000 < other)
    assert 1.01 < above / below < 1.1


def test_the_number_of_sizes_is_limited_and_the_largest_jump_comes_first() -> None:
    sizes = bisected(lambda size: jump(200, 1e-6, 1.1e-6)(size) + jump(300_000, 0, 1e-2)(size), most=len(COARSE) + 3)
    assert len(sizes) == len(COARSE) + 3
    assert all(size > 16384 for size in set(sizes) - set(COARSE))


def test_two_sizes_have_no_third_beside_them() -> None:
    assert sizes_between({1: [1e-6], 1000: [1.0]}, 10) == []
