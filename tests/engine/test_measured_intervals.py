"""Seconds that measured intervals count, with invented clocks."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from invented_clock import invent
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments.outcome import TimeSpent

MEASURED = {"smpi/replace-interrupted": "yes", "smpi/cpu-threshold": "0", "smpi/wtime": "0"}
GONE = 5e-3  # seconds for which another program has the processor


def spent(steps: Sequence[Sequence[tuple[float, bool]]], **settings: Any) -> TimeSpent:
    """Return the time spent by ranks that compute and meet in a barrier in each step.

    `steps` has, for each step and rank, the seconds and whether the interval is interrupted.
    """

    def program() -> None:
        first = [(0.0, False)] * len(steps[0])  # from the broadcast to the first barrier, another place
        left: list[Iterator[Sequence[tuple[float, bool]]]] = [iter([first, *steps]) for _ in steps[0]]

        def clock(thread: int, call: str) -> tuple[float, float]:
            if call != "MPI_Barrier":
                return 0.0, 0.0
            seconds, interrupted = next(left[thread])[thread]
            return seconds, seconds + GONE * interrupted

        world = MPI.COMM_WORLD
        if world.rank == 0:
            invent(clock)
        world.Bcast(bytearray(1))
        for _ in range(len(steps) + 1):
            world.Barrier()

    np = len(steps[0])
    return pysmpi.simulate(program, np=np, platform=Cluster(np), **{"cfg": MEASURED, **settings}).time_spent


def alone(*seconds: float, then: float) -> TimeSpent:
    """Return the time spent by one rank with uninterrupted intervals, and an interrupted one at the end."""
    return spent([[(each, False)] for each in seconds] + [[(then, True)]])


def test_an_interrupted_interval_takes_the_time_of_those_like_it() -> None:
    found = alone(1.0e-3, 1.1e-3, 1.2e-3, 1.3e-3, 1.4e-3, then=1.9e-3)
    assert (found.interrupted, found.shortened, found.kept) == (1, 1, 0)
    assert found.saved == pytest.approx(0.7e-3, rel=1e-6) and found.measured == pytest.approx(7.2e-3, rel=1e-6)
    assert alone(1e-6, 2e-6, 3e-6, 4e-6, then=200e-6).saved == pytest.approx(
        197e-6, rel=1e-6
    )  # caches are filled again
    assert alone(*[20e-3] * 4, then=27e-3).saved == pytest.approx(7e-3, rel=1e-6)  # long intervals, too
    assert alone(1e-3, 1e-3, 1e-3, 1e-3, then=0.9e-3).saved == 0  # at most as long as measured


@pytest.mark.parametrize(
    ("before", "then"),
    [
        ([1e-3, 1e-3, 1e-3], 1.9e-3),  # too few
        ([5e-3, 4e-3, 3e-3, 2e-3, 1e-3], 2e-3),  # the work shrinks with each step
        ([1e-3] * 9 + [9e-3], 9e-3),  # every tenth step does more: an interruption does not take 8 ms
        ([1e-3, 4e-3] * 4, 4.1e-3),  # every second step does more
    ],
)
def test_an_interval_without_others_like_it_counts_as_measured(before: list[float], then: float) -> None:
    found = alone(*before, then=then)
    assert (found.shortened, found.kept, found.saved) == (0, 1, 0)


def test_other_ranks_stand_in_if_they_agree() -> None:
    """In the first steps, a rank itself has too few intervals."""
    even = [[(1e-3, False)] * 10, [(1e-3, False)] * 9 + [(1.8e-3, True)]]
    assert spent(even).saved == pytest.approx(0.8e-3, rel=1e-6)
    uneven = [[((rank + 1) * 1e-3, step == 1 and rank == 3) for rank in range(12)] for step in range(2)]
    assert spent(uneven).kept == 1
    # Rank 9 has more work than the others, which its own intervals show.
    heavy = [[(1e-3, False)] * 9 + [(1.8e-3, step == 5)] for step in range(6)]
    assert spent(heavy).saved == pytest.approx(0.0, abs=1e-9)
    heavy = [[(1e-3, False)] * 9 + [(1.8e-3 if step < 5 else 2.5e-3, step == 5)] for step in range(6)]
    assert spent(heavy).saved == pytest.approx(0.7e-3, rel=1e-6)


def test_a_first_step_is_no_interruption() -> None:
    """Page faults take processor time, and are real."""
    assert spent([[(5e-3, False)] * 4] + [[(1e-3, False)] * 4] * 3).saved == 0


def test_smpi_counts_interrupted_intervals_as_measured() -> None:
    steps = [[(1e-3, False)]] * 8 + [[(1.9e-3, True)]]
    found = {mpi: spent(steps, mpi=mpi, cfg={"smpi/cpu-threshold": "0"}) for mpi in ("smpi", "openmpi-5.0")}
    assert (found["smpi"].shortened, found["smpi"].kept) == (0, 0)
    assert (found["openmpi-5.0"].shortened, found["openmpi-5.0"].kept) == (1, 0)


def test_places_are_lines_of_the_program() -> None:
    """Intervals between the same functions at another line do not count as like."""

    def program() -> None:
        lengths = iter([0.0, *[1e-3] * 8, 1.9e-3])

        def clock(thread: int, call: str) -> tuple[float, float]:
            seconds = next(lengths) if call == "MPI_Barrier" else 0.0
            return seconds, seconds + GONE * (seconds == 1.9e-3)

        world = MPI.COMM_WORLD
        world.Bcast(bytearray(1))
        invent(clock)
        for _ in range(9):
            world.Barrier()
        world.Barrier()

    found = pysmpi.simulate(program, np=1, platform=Cluster(1), cfg=MEASURED).time_spent
    assert (found.shortened, found.kept) == (0, 1)


def test_totals() -> None:
    def program() -> None:
        invent(lambda thread, call: (1.0, 2.0))
        MPI.COMM_WORLD.Barrier()
        MPI.COMM_WORLD.Barrier()

    found = pysmpi.simulate(program, np=3, platform=Cluster(3)).time_spent
    assert found.clock_seconds >= 3.0 and found.wall_seconds == 2 * found.clock_seconds
    assert found.intervals == found.interrupted >= 3
