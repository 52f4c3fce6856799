"""Remark on runs measured on a busy machine, with invented figures."""

import pytest

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments.outcome import TimeSpent
from pysmpi.simulation.launch import collect
from pysmpi.simulation.launch.busy_machine import busy_machine
from pysmpi.simulation.launch.summary import summary


def test_the_share_of_the_processor() -> None:
    spent = TimeSpent(total=9.0, clock_seconds=1.5, wall_seconds=2.0, intervals=1000, interrupted=12)
    share = "processor time is 75% of the wall time of the measured computation (12 of 1,000 intervals interrupted"
    assert busy_machine(spent, 3.25, 2) == f"{share}, load 3.2 on 2 processors)"
    assert busy_machine(spent, None, 2) == f"{share})"


@pytest.mark.parametrize(("clock", "wall"), [(1.9, 2.0), (2.0, 2.0), (0.0, 0.0), (1e-4, 9e-4)])
def test_nothing_to_remark(clock: float, wall: float) -> None:
    """The machine was idle, or hardly anything was measured."""
    assert busy_machine(TimeSpent(clock_seconds=clock, wall_seconds=wall, intervals=9), 9.0, 2) == ""


def test_the_summary_marks_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def disturbed() -> TimeSpent:
        return TimeSpent(total=1.0, measured=1.0, clock_seconds=1.0, wall_seconds=4.0, intervals=8, interrupted=7)

    monkeypatch.setattr(collect, "read_time_spent", disturbed)
    result = pysmpi.simulate(lambda: None, np=1, platform=Cluster(1))
    assert result.busy.startswith("processor time is 25% of the wall time")
    assert summary(result).splitlines()[-1].startswith("pysmpi: questionable: measured on a busy machine")
    assert f"\npysmpi: measured on a busy or throttled machine: {result.busy}\n" in summary(result, verbose=True)


def test_both_clocks_are_read() -> None:
    """The wall clock of the measured intervals is read outside the processor clock."""

    def program() -> None:
        from mpi4py import MPI

        MPI.COMM_WORLD.Barrier()
        sum(range(100_000))
        with pysmpi.untimed():
            sum(range(100_000))
        MPI.COMM_WORLD.Barrier()

    spent = pysmpi.simulate(program, np=2, platform=Cluster(2), cfg={"smpi/simulate-computation": "yes"}).time_spent
    assert spent.intervals >= spent.interrupted
    assert 0 < spent.clock_seconds <= spent.wall_seconds
