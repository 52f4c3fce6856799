"""Tests of designs: crossed designs, and Latin hypercubes."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.errors import StudyError
from pysmpi.study.designs import crossed, sampled
from pysmpi.study.factor_levels import Range, levels_of


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 3), st.integers(2, 5))
def test_latin_hypercube(samples: int, seed: int, count: int) -> None:
    factors = {"x": Range(0.0, 1.0), "list": tuple(f"v{i}" for i in range(count))}
    points = sampled(factors, samples, seed)
    assert sorted(int(min(float(point["x"]), 0.999999) * samples * (1 - 1e-9)) for point in points) == list(
        range(samples)
    )
    met = [sum(point["list"] == value for point in points) for value in factors["list"]]
    assert max(met) - min(met) <= 1
    assert points == sampled(factors, samples, seed)


def test_ranges_with_units() -> None:
    """Numbers keep their unit, whole numbers stay whole, and a logarithmic range has steps of equal ratio."""
    assert levels_of({"low": "1Gbps", "high": "100Gbps", "scale": "log", "steps": 3}).values() == (  # type: ignore[union-attr]
        "1Gbps", "10Gbps", "100Gbps",
    )  # fmt: skip
    assert levels_of({"low": 1, "high": 16, "steps": 4}).values() == (1, 6, 11, 16)  # type: ignore[union-attr]
    assert [type(value) for value in levels_of({"low": 1, "high": 2, "steps": 2}).values()] == [int, int]  # type: ignore[union-attr]


def test_crossed_with_nothing_is_one_point() -> None:
    assert crossed({}) == [{}]


@pytest.mark.parametrize(
    "given",
    [
        {"low": 1, "high": math.nan, "steps": 2},
        {"low": 1, "high": math.inf, "steps": 2},
        {"low": 1, "high": 10**400, "steps": 2},
        {"low": 1, "high": 10, "steps": 10**12},
    ],
)
def test_ranges_without_end(given: dict[str, float]) -> None:
    with pytest.raises(StudyError, match=r"is not a finite number|write a whole number from 2 to 1,000,000"):
        levels_of(given)
