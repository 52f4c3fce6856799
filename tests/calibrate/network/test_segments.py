"""Tests of piecewise linear fits: lines and breakpoints are recovered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.calibrate.network import Segment, segments

TRUE = [(0, 1e-6, 1e-9), (1000, 5e-6, 2e-10), (60_000, 1e-4, 1e-9)]  # first size above which, startup, per byte


def true_time(size: int) -> float:
    _, startup, per_byte = next(line for line in reversed(TRUE) if size > line[0])
    return startup + per_byte * size


def drawn(count: int, seed: int = 0) -> list[int]:
    rng = np.random.default_rng(seed)
    return sorted({int(size) for size in np.exp(rng.uniform(0, np.log(1 << 22), count))})


def test_exact_times_give_the_exact_lines() -> None:
    sizes = drawn(120)
    found = segments(sizes, [true_time(size) for size in sizes])
    assert len(found) == len(TRUE)
    for line, (above, startup, per_byte) in zip(found, TRUE, strict=True):
        assert line.first == min(size for size in sizes if size > above)
        assert (line.startup, line.per_byte) == (pytest.approx(startup), pytest.approx(per_byte))


@pytest.mark.parametrize("seed", range(5))
def test_noise_makes_no_segments(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = drawn(120, seed)
    found = segments(sizes, [true_time(size) * (1 + 0.03 * rng.standard_normal()) for size in sizes])
    assert 3 <= len(found) <= 4
    errors = [line(size) / true_time(size) - 1 for line in found for size in sizes if line.first <= size <= line.last]
    assert np.median(np.abs(errors)) < 0.02


def test_breakpoints_that_are_given() -> None:
    sizes = list(range(1, 200))
    found = segments(sizes, [1.0] * 199, breaks=[50, 100, 100_000])
    assert [(line.first, line.last) for line in found] == [(1, 49), (50, 99), (100, 199)]
    assert segments(sizes, [1.0] * 199) == [Segment(1, 199, 1.0, 0.0)]
    assert [line.first for line in segments(sizes, [1.0] * 199, forced=[7])] == [1, 7]


@settings(max_examples=60, deadline=None)
@given(
    points=st.lists(
        st.tuples(st.integers(0, 1 << 24), st.floats(1e-9, 10)), min_size=1, max_size=40, unique_by=lambda p: p[0]
    )
)
def test_no_line_is_negative_and_none_is_left_out(points: list[tuple[int, float]]) -> None:
    points.sort()
    found = segments([size for size, _ in points], [taken for _, taken in points])
    assert all(line.startup >= 0 and line.per_byte >= 0 for line in found)
    assert [size for line in found for size, _ in points if line.first <= size <= line.last] == [
        size for size, _ in points
    ]


def test_one_size() -> None:
    assert segments([8], [2e-6]) == [Segment(8, 8, 2e-6, 0.0)]
