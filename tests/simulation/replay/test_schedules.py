"""Tests of replays written in Python: one schedule per rank."""

from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import DeadlockError, SimulationError
from pysmpi.simulation.replay import ReplayError

EXACT = {"smpi/simulate-computation": "no", "smpi/wtime": 0}
PLATFORM = "fattree:2/4,4/1,2/1,1"


def exchange(rank: int, ranks: int, size: int) -> pysmpi.Schedule:
    """Return a ring, computation, a polled message, and blocking messages against the ring."""
    schedule = pysmpi.Schedule()
    left, right = (rank - 1) % ranks, (rank + 1) % ranks
    schedule.receive(None, left, 1, amount=size)
    schedule.send(None, right, 1, amount=size)
    schedule.wait()
    schedule.execute(1e-4 * (rank + 1))
    schedule.send(None, left, 2, amount=8, synchronous=True)
    schedule.poll(right, 2)
    schedule.receive(None, right, 2, amount=8)
    schedule.wait()
    if rank % 2:
        schedule.send(None, left, blocking=True, amount=size)
    elif rank + 1 < ranks:
        schedule.receive(None, right, blocking=True, amount=size)
    return schedule


@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("size", [0, 8, 100_000])
def test_times_are_those_of_ranks_that_run_them(ranks: int, size: int) -> None:
    """Each rank ends at the same time as a Python program that runs the same schedule."""

    def program() -> float:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        exchange(world.rank, world.size, size).on(world, np.empty(size + 8, np.uint8)).run()
        return MPI.Wtime()

    run = pysmpi.simulate(program, np=ranks, platform=PLATFORM, cfg=EXACT)
    schedules = [exchange(rank, ranks, size) for rank in range(ranks)]
    result = pysmpi.simulate_replay(schedules, platform=PLATFORM, cfg=EXACT)
    assert list(result.end_times) == pytest.approx(run.values, rel=1e-12)
    assert result.counters.messages == run.counters.messages
    assert result.actions == sum(map(len, schedules))


def test_buffers_are_carried_as_well() -> None:
    sent, received = np.arange(10.0), np.zeros(10)
    first, second = pysmpi.Schedule(), pysmpi.Schedule()
    first.send(sent, 1)
    second.receive(received, 0)
    pysmpi.simulate_replay([first, second], platform=PLATFORM, hosts=["node-3", "node-1"])
    assert (received == sent).all()


def test_ranks_share_a_schedule() -> None:
    shared = pysmpi.Schedule()
    shared.execute(1.0)
    result = pysmpi.simulate_replay([shared] * 16, platform=PLATFORM, cfg=EXACT)
    assert list(result.end_times) == pytest.approx([1.0] * 16)


def test_what_is_wrong_is_told() -> None:
    alone = pysmpi.Schedule()
    alone.receive(None, 1, amount=8)
    with pytest.raises(ReplayError, match="names peer 1, but the number of ranks is 1"):
        pysmpi.simulate_replay([alone], platform=PLATFORM)
    with pytest.raises(ReplayError, match="the list of schedules is empty"):
        pysmpi.simulate_replay([], platform=PLATFORM)
    wrong: list[Any] = [[1, alone], alone, None, {0: alone}]
    for what in wrong:
        with pytest.raises(ReplayError, match=rf"{type(what).__name__} cannot be replayed; .* one pysmpi.Schedule"):
            pysmpi.simulate_replay(what, platform=PLATFORM)
    with pytest.raises(ReplayError, match="np is 3, but there are 2 schedules"):
        pysmpi.simulate_replay([alone] * 2, platform=PLATFORM, np=3)
    with pytest.raises(SimulationError, match="this schedule has 2 sizes"):
        pysmpi.simulate_replay([pysmpi.Schedule(sizes=2)], platform=PLATFORM)
    with pytest.raises(DeadlockError, match="rank 0"):
        pysmpi.simulate_replay([alone, pysmpi.Schedule()], platform=PLATFORM)
    longer, negative = pysmpi.Schedule(), pysmpi.Schedule()
    longer.send(None, 0, amount=9)
    with pytest.raises(ReplayError, match=r"rank 0: .* longer than the buffer"):
        pysmpi.simulate_replay([alone, longer], platform=PLATFORM)
    negative.send(None, 0, amount=-1)
    with pytest.raises(ReplayError, match=r"rank 1: .* step 0 is negative"):
        pysmpi.simulate_replay([alone, negative], platform=PLATFORM)
