"""Progress of rendezvous messages by calls (smpi/progress:calls)."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import ConfigurationError

BYTES = 12_500_000  # 1 ms at 12.5 GB/s
WIRE = BYTES / 12.5e9
COMPUTED = 0.01


def run(program: Callable[..., Any], ranks: int = 2, args: tuple[Any, ...] = (), **cfg: str) -> Any:
    return pysmpi.simulate(
        program, np=ranks, platform=f"flat:{ranks}", args=args,
        cfg={"smpi/simulate-computation": "no", "network/model": "CM02", **cfg},
    ).values  # fmt: skip


def both(program: Callable[..., Any], **more: Any) -> tuple[Any, Any]:
    return tuple(run(program, **{"smpi/progress": how}, **more) for how in ("asynchronous", "calls"))


def overlap(receiver_tests: int) -> float:
    """Return the seconds until a receive has ended beside computation in which the receiver tests some times."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    block = np.zeros(BYTES, dtype="b")
    world.Barrier()
    begun = MPI.Wtime()
    if world.rank == 0:
        pysmpi.execute(COMPUTED / 10)  # so that the receive is posted first
        world.Ssend(block, 1)
    else:
        request = world.Irecv(block, 0)
        for _ in range(receiver_tests + 1):
            pysmpi.execute(COMPUTED / (receiver_tests + 1))
            request.Test()
        request.Wait()
    return MPI.Wtime() - begun


def test_message_waits_for_the_next_call_of_its_receiver() -> None:
    asynchronous, calls = both(overlap, args=(0,))
    assert asynchronous[1] == pytest.approx(COMPUTED, rel=0.02)
    assert calls[1] == pytest.approx(COMPUTED + WIRE, rel=0.02)
    assert asynchronous[0] == pytest.approx(COMPUTED / 10 + WIRE, rel=0.02)
    assert calls[0] == pytest.approx(COMPUTED + WIRE, rel=0.02)  # the sender is late, too


def test_test_within_the_computation_starts_it() -> None:
    _, calls = both(overlap, args=(1,))
    assert calls[1] == pytest.approx(COMPUTED, rel=0.04)  # tests take time, too
    assert calls[0] == pytest.approx(COMPUTED / 2 + WIRE, rel=0.04)


def late_receive() -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    block = np.zeros(BYTES, dtype="b")
    if world.rank == 0:
        request = world.Isend(block, 1)
        pysmpi.execute(COMPUTED)
        request.Wait()
    else:
        pysmpi.execute(COMPUTED / 10)
        world.Recv(block, 0)
    return MPI.Wtime()


def test_message_waits_for_the_next_call_of_its_sender() -> None:
    asynchronous, calls = both(late_receive)
    assert asynchronous[1] == pytest.approx(COMPUTED / 10 + WIRE, rel=0.02)
    assert calls == pytest.approx([COMPUTED + WIRE] * 2, rel=0.02)


def small_message() -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    block = np.zeros(1000, dtype="b")
    if world.rank == 0:
        pysmpi.execute(COMPUTED / 10)
        world.Send(block, 1)
    else:
        request = world.Irecv(block, 0)
        pysmpi.execute(COMPUTED)
        request.Wait()
    return MPI.Wtime()


def test_sender_of_a_small_message_does_not_wait() -> None:
    asynchronous, calls = both(small_message)
    assert calls == asynchronous


def away_otherwise(kind: str) -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    block = np.zeros(BYTES, dtype="b")
    if world.rank == 0:
        pysmpi.execute(COMPUTED / 10)
        world.Send(block, 1)
        return MPI.Wtime()
    request = world.Irecv(block, 0)
    if kind == "sleep":
        time.sleep(COMPUTED)
    elif kind == "clock":
        while MPI.Wtime() < COMPUTED:
            pysmpi.execute(COMPUTED / 100)
    elif kind == "thread":
        thread = threading.Thread(target=pysmpi.execute, args=(COMPUTED,))
        thread.start()
        thread.join()
    elif kind == "schedule":
        schedule = pysmpi.Schedule(world)
        schedule.execute(COMPUTED)
        schedule.run()
    request.Wait()
    return MPI.Wtime()


@pytest.mark.parametrize("kind", ["sleep", "clock", "thread", "schedule"])
def test_rank_is_outside_mpi_while_it(kind: str) -> None:
    _, calls = both(away_otherwise, args=(kind,))
    assert calls[0] == pytest.approx(COMPUTED + WIRE, rel=0.03)


def collective_beside_computation(tests: int) -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    block = np.full(BYTES // 8, world.rank, dtype="d")
    total = np.empty_like(block)
    begun = MPI.Wtime()
    request = world.Iallreduce(block, total)
    for _ in range(tests + 1):
        pysmpi.execute(COMPUTED / (tests + 1))
        request.Test()
    request.Wait()
    assert (total == sum(range(world.size))).all()
    return MPI.Wtime() - begun


def test_nonblocking_collective_goes_on_in_calls_only() -> None:
    more = {"ranks": 8, "smpi/allreduce": "rdb", "smpi/nonblocking-collectives": "blocking"}
    asynchronous, none = both(collective_beside_computation, args=(0,), **more)
    many = run(collective_beside_computation, args=(9,), **{"smpi/progress": "calls"}, **more)
    assert max(asynchronous) == pytest.approx(COMPUTED, rel=0.02)
    assert max(none) > COMPUTED + 2 * WIRE
    assert max(many) < max(none)


def thread_in_mpi() -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    block = np.zeros(BYTES, dtype="b")
    if world.rank == 0:
        pysmpi.execute(COMPUTED / 10)
        world.Send(block, 1)
        return MPI.Wtime()
    thread = threading.Thread(target=world.Recv, args=(block, 0))
    thread.start()
    pysmpi.execute(COMPUTED)
    thread.join()
    return MPI.Wtime()


def test_thread_that_waits_in_mpi_makes_progress_for_its_rank() -> None:
    asynchronous, calls = both(thread_in_mpi)
    assert calls == asynchronous


def leaves_a_message_behind() -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    block = np.zeros(BYTES, dtype="b")
    if world.rank == 0:
        pysmpi.execute(COMPUTED / 10)
        world.Send(block, 1)
    else:
        world.Irecv(block, 0).Free()
        pysmpi.execute(COMPUTED)
    return MPI.Wtime()


def test_message_starts_when_its_receiver_has_ended() -> None:
    _, calls = both(leaves_a_message_behind)
    assert calls[0] == pytest.approx(COMPUTED + WIRE, rel=0.02)


def fails_while_away() -> int | None:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    block = np.zeros(BYTES, dtype="b")
    if world.rank == 1:
        world.Irecv(block, 0)
        time.sleep(COMPUTED)
        os.kill(os.getpid(), signal.SIGKILL)
    pysmpi.execute(COMPUTED / 10)
    try:
        world.Send(block, 1)
    except MPI.Exception as error:
        assert MPI.Wtime() == pytest.approx(COMPUTED, rel=0.01)
        return error.Get_error_class()
    return None


def test_message_fails_with_the_rank_that_it_waits_for() -> None:
    _, calls = both(fails_while_away)
    assert calls[0] == 101  # MPIX_ERR_PROC_FAILED


@pytest.mark.parametrize("outside", [f"compute {COMPUTED * 1e9}", f"sleep {COMPUTED}"])
def test_ranks_of_traces_are_outside_mpi_while_they_compute(tmp_path: Path, outside: str) -> None:
    actions = [["init", "sleep 0.001", f"send 1 0 {BYTES}"], ["init", f"irecv 0 0 {BYTES}", outside, "wait 0 1 0"]]
    for rank, lines in enumerate(actions):
        (tmp_path / f"{rank}.txt").write_text("".join(f"{rank} {line}\n" for line in lines))
    (tmp_path / "index").write_text("0.txt\n1.txt\n")
    ends = [
        pysmpi.simulate_replay(
            tmp_path / "index", platform="flat:2:speed=1Gf", cfg={"network/model": "CM02", "smpi/progress": how}
        ).end_times
        for how in ("asynchronous", "calls")
    ]
    assert ends[0][0] == pytest.approx(COMPUTED / 10 + WIRE, rel=0.02)
    assert ends[1] == pytest.approx([COMPUTED + WIRE] * 2, rel=0.02)


def exchange(rounds: int) -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    random = np.random.default_rng(world.rank)
    given, taken = np.full(100_000, world.rank), np.empty(100_000, dtype=int)
    for shift in range(1, rounds):
        source, target = (world.rank - shift) % world.size, (world.rank + shift) % world.size
        requests = [world.Irecv(taken, MPI.ANY_SOURCE if shift % 3 == 0 else source), world.Isend(given, target)]
        pysmpi.execute(random.uniform(0, 1e-3))
        if shift % 2:
            MPI.Request.Waitall(requests)
        else:
            while not MPI.Request.Testall(requests):
                pysmpi.execute(1e-5)
        world.Barrier()
        assert (taken == source).all()
    return MPI.Wtime()


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_exchanges_end_and_take_longer(ranks: int) -> None:
    asynchronous, calls = both(exchange, ranks=ranks, args=(12,))
    again = run(exchange, ranks=ranks, args=(12,), **{"smpi/progress": "calls"})
    assert calls == again
    assert max(calls) >= max(asynchronous)


def test_unknown_way_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="asynchronous, calls"):
        run(small_message, **{"smpi/progress": "call"})
