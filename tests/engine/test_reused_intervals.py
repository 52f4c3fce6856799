"""Runs that take measured intervals from an earlier run, with invented clocks that differ from run to run."""

import pathlib
import random
from collections.abc import Callable

import numpy as np
import pytest
from invented_clock import invent
from mpi4py import MPI

import pysmpi
from pysmpi.errors import SimulationError
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments.outcome import IntervalUse, Result

CFG = {"smpi/replace-interrupted": "yes"}
RANKS = 6
SLOW, FAST = Cluster(RANKS, bandwidth=1e8), Cluster(RANKS, bandwidth=1e10)


def noisy(seed: int, steady: Callable[[int, str], float]) -> None:
    """Let intervals take a length by thread and next call, and up to 30 % more, at random."""
    if MPI.COMM_WORLD.rank == 0:
        draws = random.Random(seed)

        def clock(thread: int, call: str) -> tuple[float, float]:
            seconds = steady(thread, call) * (1 + 0.3 * draws.random())
            return seconds, seconds

        invent(clock)
    MPI.COMM_WORLD.Barrier()


def run(
    program: Callable[[], object], file: pathlib.Path, *, seed: int, platform: Cluster = SLOW, length: float = 1e-3
) -> tuple[Result, IntervalUse]:
    def body() -> object:
        noisy(seed, lambda thread, call: length)
        return program()

    result = pysmpi.simulate(body, np=RANKS, platform=platform, cfg=CFG, intervals=file)
    assert result.intervals is not None
    return result, result.intervals


def exchange() -> None:
    """Exchange with neighbours in many ways; the calls depend on nothing."""
    world = MPI.COMM_WORLD
    left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    data, other = np.zeros(50_000), np.empty(50_000)
    for step in range(6):
        world.Sendrecv(data, right, recvbuf=other, source=left)
        requests = [world.Irecv(other, left), world.Isend(data, right)]
        MPI.Request.Waitall(requests)
        if step % 2:
            world.allreduce(step)
        with pysmpi.sample(count=2, tag="block") as block:
            if block.run:
                sum(range(1000))


def racing() -> int:
    """Return how often a rank has tested whether its messages have arrived."""
    world = MPI.COMM_WORLD
    polls = 0
    for step in range(3):
        if world.rank:
            world.Send(np.zeros(100_000 * world.rank), 0, tag=step)
            continue
        requests = [world.Irecv(np.empty(100_000 * rank), rank, step) for rank in range(1, world.size)]
        while not MPI.Request.Testall(requests):
            polls += 1
        world.Iprobe(MPI.ANY_SOURCE, 9)
    world.Barrier()
    return polls


def limited() -> int:
    """Return the number of iterations that fit into a limit of simulated time."""
    begun, iterations = MPI.Wtime(), 0
    while MPI.Wtime() - begun < 0.05:
        MPI.COMM_SELF.Barrier()
        iterations += 1
    MPI.COMM_WORLD.Bcast(bytearray(10**6))
    return iterations


@pytest.mark.parametrize("program", [exchange, racing, limited])
def test_the_same_machine_gives_the_same_time_to_the_bit(program: Callable[[], object], tmp_path: pathlib.Path) -> None:
    first, measured = run(program, tmp_path / "intervals", seed=1)
    again, reused = run(program, tmp_path / "intervals", seed=2)
    assert again.simulated_time == first.simulated_time and again.values == first.values
    assert [each.ended_at for each in again.ranks] == [each.ended_at for each in first.ranks]
    assert reused.unmatched == 0 and reused.longest == 0 and not reused.diverged
    assert reused.reused == measured.measured > 0 and measured.spread is not None
    without, _ = run(program, tmp_path / "others", seed=2)
    assert without.simulated_time != first.simulated_time  # the clocks do differ


def test_another_network_changes_only_the_network(tmp_path: pathlib.Path) -> None:
    first, _ = run(exchange, tmp_path / "intervals", seed=1)
    other, use = run(exchange, tmp_path / "intervals", seed=2, platform=FAST)
    assert other.time_spent.measured == pytest.approx(first.time_spent.measured, rel=1e-12)
    assert use.unmatched == 0
    assert other.simulated_time < first.simulated_time


def test_polls_that_are_more_or_fewer_move_nothing_else(tmp_path: pathlib.Path) -> None:
    """A faster network takes fewer polls, a slower one more. All other places keep their own times."""
    slow, _ = run(racing, tmp_path / "slow", seed=1, length=1e-5)
    fast, use = run(racing, tmp_path / "slow", seed=2, platform=FAST, length=1e-5)
    assert fast.values[0] < slow.values[0] and use.left_over > 0 and use.measured == 0
    run(racing, tmp_path / "fast", seed=1, platform=FAST, length=1e-5)
    slow, use = run(racing, tmp_path / "fast", seed=2, length=1e-5)
    assert slow.values[0] > fast.values[0] and use.repeated > 0 and use.measured == 0


def test_a_loop_until_a_time_goes_on_with_what_is_like_it(tmp_path: pathlib.Path) -> None:
    run(limited, tmp_path / "intervals", seed=1)
    half = Cluster(RANKS, speed=5e8)
    cfg = {**CFG, "smpi/host-speed": "1Gf"}

    def body() -> int:
        noisy(2, lambda thread, call: 1e-3)
        return limited()

    result = pysmpi.simulate(body, np=RANKS, platform=half, cfg=cfg, intervals=tmp_path / "intervals")
    assert result.intervals is not None and result.intervals.left_over > 0 and result.intervals.measured == 0


def farm() -> list[tuple[int, float]]:
    """Return the tasks of a worker with their simulated lengths. Rank 1 gets fewer on slow hosts."""
    world = MPI.COMM_WORLD
    done: list[tuple[int, float]] = []
    if world.rank == 0:
        status = MPI.Status()
        for task in (*range(20), *[None] * (world.size - 1)):
            world.recv(source=MPI.ANY_SOURCE, tag=0, status=status)
            world.send(task, status.source, tag=1)
        return done
    while True:
        if world.rank == 1:
            pysmpi.execute_flops(1e7)
        world.send(None, 0, tag=0)
        task = world.recv(source=0, tag=1)
        if task is None:
            return done
        begun = MPI.Wtime()
        task_of[world.rank] = task
        world.Iprobe(source=world.rank, tag=9)
        task_of[world.rank] = None
        done.append((task, MPI.Wtime() - begun))


task_of: dict[int, int | None] = {}  # by rank: the task that it computes, for the clock


def test_tasks_that_go_to_other_ranks_take_their_own_time(tmp_path: pathlib.Path) -> None:
    """The calls of a worker are the same, whatever its tasks; the master's messages come in another order."""

    def body(seed: int) -> list[tuple[int, float]]:
        def length(thread: int, call: str) -> float:
            task = task_of.get(thread)
            return 1e-6 if call != "MPI_Iprobe" or task is None else 1e-3 * (1 + 3 * task)

        noisy(seed, length)
        return farm()

    tasks = []
    for seed, speed in ((1, 1e8), (2, 1e10)):
        machine = Cluster(RANKS, speed=speed)
        result = pysmpi.simulate(
            body, args=[seed], np=RANKS, platform=machine, cfg=CFG, intervals=tmp_path / "intervals"
        )
        for task, seconds in (each for done in result.values for each in done):
            assert 0.6 < seconds / (1e-3 * (1 + 3 * task)) < 1.6, (seed, task)
        tasks.append([[task for task, _ in done] for done in result.values])
    assert result.intervals is not None and result.intervals.diverged and result.intervals.measured > 0
    assert tasks[0] != tasks[1]


def counting() -> None:
    world = MPI.COMM_WORLD
    window = MPI.Win.Allocate(8, comm=world)
    result = np.empty(1, "i8")
    window.Lock(0)
    window.Fetch_and_op(np.ones(1, "i8"), result, 0)
    window.Unlock(0)
    window.Free()


def test_values_that_ranks_share_may_change_their_work(tmp_path: pathlib.Path) -> None:
    run(counting, tmp_path / "intervals", seed=1)
    _, use = run(counting, tmp_path / "intervals", seed=2)
    assert use.diverged and use.measured == 0  # all intervals are like the recorded ones


def test_files_that_are_no_intervals(tmp_path: pathlib.Path) -> None:
    run(exchange, tmp_path / "intervals", seed=1)
    content = (tmp_path / "intervals").read_bytes()
    for damaged in (b"", content[:-1], b"x" + content[1:], content[:16] + b"\xff" * 16 + content[32:]):
        (tmp_path / "damaged").write_bytes(damaged)
        with pytest.raises(SimulationError, match="damaged' has no measured intervals"):
            run(exchange, tmp_path / "damaged", seed=2)
    result, _ = run(exchange, tmp_path / "missing" / "intervals", seed=1)
    assert any("cannot be written" in text for text in result.without_effect)


def test_threads_of_a_rank_have_intervals_of_their_own(tmp_path: pathlib.Path) -> None:
    import threading

    def program() -> None:
        def work() -> None:
            for _ in range(3):
                MPI.COMM_SELF.Barrier()

        thread = threading.Thread(target=work)
        thread.start()
        MPI.COMM_WORLD.Barrier()
        thread.join()

    first, _ = run(program, tmp_path / "intervals", seed=1)
    again, use = run(program, tmp_path / "intervals", seed=2)
    assert again.simulated_time == first.simulated_time and use.unmatched == 0
