"""Seconds that measured intervals count, with invented clocks."""

from collections.abc import Callable

import pytest

import pysmpi
from pysmpi.native import ffi, lib
from pysmpi.platform import Cluster

Add = Callable[..., float]


def in_simulation(check: Callable[[Add], None]) -> None:
    """Run a check with a function that adds an interval between two calls and returns the seconds that it counts."""
    names = {name: ffi.new("char[]", name.encode()) for name in ("MPI_Send", "MPI_Recv")}

    def add(seconds: float, wall: float, after: str = "MPI_Send", before: str = "MPI_Recv") -> float:
        return lib.pysmpi_add_measured_interval(names[after], names[before], seconds, wall)

    pysmpi.simulate(lambda: check(add), np=1, platform=Cluster(1))


def test_an_interrupted_interval_counts_the_mean_of_the_others() -> None:
    def check(add: Add) -> None:
        assert add(1e-6, 1e-6) == 1e-6
        assert add(3e-6, 4e-6) == 3e-6
        assert add(200e-6, 8e-3) == pytest.approx(2e-6)
        assert add(0.5e-6, 8e-3) == 0.5e-6  # at most the mean
        assert add(2e-6, 2e-6) == 2e-6  # interrupted ones do not count towards it

    in_simulation(check)


def test_long_intervals_and_unknown_places_count_as_they_are() -> None:
    def check(add: Add) -> None:
        assert add(50e-6, 1.0) == 50e-6  # no other interval is known
        assert add(1e-6, 1e-6) == 1e-6
        assert add(20e-3, 1.0) == 20e-3
        assert add(40e-6, 1.0, "MPI_Recv", "MPI_Send") == 40e-6

    in_simulation(check)


def test_totals() -> None:
    def program() -> None:
        names = [ffi.new("char[]", b"MPI_Send") for _ in range(2)]
        lib.pysmpi_add_measured_interval(*names, 1.0, 2.0)

    spent = pysmpi.simulate(program, np=3, platform=Cluster(3)).time_spent
    assert spent.clock_seconds >= 3.0 and spent.wall_seconds >= 6.0
    assert spent.intervals >= spent.interrupted >= 3
