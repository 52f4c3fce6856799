"""Locks, errors, and reports about ranks that wait forever."""

import array
import itertools
import pathlib
import time
from collections.abc import Callable
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import DeadlockError

pytestmark = pytest.mark.both_modes

PLATFORM = pathlib.Path(__file__).resolve().parents[2] / "platforms" / "cluster.xml"


def _critical(mpi: Any, rounds: int) -> list[tuple[float, float]]:
    """Record when the rank is inside; increment a number without atomic access."""
    comm = mpi.COMM_WORLD
    win = mpi.Win.Allocate(8, 8, comm=comm)
    memoryview(win).cast("q")[0] = 0
    comm.Barrier()
    inside = []
    number = array.array("q", [0])
    for _ in range(rounds):
        win.Lock(0, mpi.LOCK_EXCLUSIVE)
        begin = mpi.Wtime()
        win.Get(number, 0)
        win.Flush(0)
        number[0] += 1
        win.Put(number, 0)
        end = mpi.Wtime()
        win.Unlock(0)
        inside.append((begin, end))
    comm.Barrier()
    if comm.rank == 0:
        assert memoryview(win).cast("q")[0] == rounds * comm.size
    win.Free()
    return inside


@pytest.mark.parametrize(("ranks", "rounds"), [(1, 3), (6, 4), (1000, 1)])
def test_exclusive_locks_exclude(ranks: int, rounds: int, run_ranks: Callable[..., list[Any]]) -> None:
    """One rank at a time is inside, and sees the writes of earlier ones."""
    spans = sorted(span for each in run_ranks(_critical, ranks, rounds) for span in each)
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))


def _in_turn(mpi: Any) -> float:
    comm = mpi.COMM_WORLD
    win = mpi.Win.Allocate(8, comm=comm)
    kinds = [mpi.LOCK_EXCLUSIVE, mpi.LOCK_SHARED, mpi.LOCK_SHARED, mpi.LOCK_EXCLUSIVE, mpi.LOCK_SHARED]
    time.sleep(comm.rank * 1e-3)
    if comm.rank == 5:
        win.Lock_all()
    else:
        win.Lock(0, kinds[comm.rank])
    at = float(mpi.Wtime())
    time.sleep(1.0)
    if comm.rank == 5:
        win.Unlock_all()
    else:
        win.Unlock(0)
    win.Free()
    return at


def test_locks_are_granted_in_order_of_arrival(run_ranks: Callable[..., list[Any]]) -> None:
    """Shared locks are granted together, but not before an earlier exclusive one; lock-all behaves like a shared
    one."""
    assert run_ranks(_in_turn, 6) == pytest.approx([0.0, 1.0, 1.0, 2.0, 3.0, 3.0], abs=0.01)


def _errors(mpi: Any) -> list[int]:
    comm = mpi.COMM_WORLD
    memory = bytearray(16)
    win = mpi.Win.Create(memory, 4, comm=comm)
    other = (comm.rank + 1) % comm.size
    group = win.Get_group()

    def error(call: Callable[..., Any], *arguments: Any) -> int:
        try:
            call(*arguments)
        except mpi.Exception as raised:
            return int(raised.Get_error_class())
        return 0

    found = [
        error(win.Put, b"abcd", other),
        error(win.Unlock, other),
        error(win.Flush, other),
        error(win.Complete),
        error(win.Wait),
        error(win.Unlock_all),
        error(win.Lock, comm.size),
        error(win.Lock, 0, 7),
        error(win.Fence, 1),
        error(win.Attach, memory),
    ]
    win.Lock(other, mpi.LOCK_SHARED)
    found += [
        error(win.Lock, other),
        error(win.Fence),
        error(win.Free),
        error(win.Put, b"abcd", other, 4),
        error(win.Put, b"abcd", other, -1),
        error(win.Put, b"abcde", other, [0, 4, mpi.BYTE]),
        error(win.Accumulate, [b"abcd", mpi.FLOAT], other, 0, mpi.BXOR),
        error(win.Compare_and_swap, *[[bytearray(4), mpi.FLOAT]] * 3, other),
        error(win.Start, group),
    ]
    win.Unlock(other)
    win.Free()
    found += [error(win.Fence), error(mpi.Win.Create, memory, 0, mpi.INFO_NULL, comm)]
    return found


@pytest.mark.parametrize("ranks", [2, 3])
def test_errors(ranks: int, MPI: Any, run_ranks: Callable[..., list[Any]]) -> None:
    sync = MPI.ERR_RMA_SYNC
    expected = [sync] * 6 + [MPI.ERR_RANK, MPI.ERR_LOCKTYPE, MPI.ERR_ASSERT, MPI.ERR_RMA_FLAVOR]
    expected += [sync] * 3 + [MPI.ERR_RMA_RANGE, MPI.ERR_DISP, MPI.ERR_TRUNCATE, MPI.ERR_OP, MPI.ERR_TYPE, sync]
    expected += [MPI.ERR_WIN, MPI.ERR_DISP]
    assert run_ranks(_errors, ranks) == [expected] * ranks


def _lock_for_ever(mpi: Any) -> None:
    comm = mpi.COMM_WORLD
    win = mpi.Win.Allocate(8, comm=comm)
    win.Set_name("table")
    if comm.rank == 1:
        win.Lock(0)
    comm.Barrier()
    if comm.rank == 1:
        comm.Recv(bytearray(1), 0)
    win.Lock(0)


def test_a_deadlock_names_who_holds_the_lock(run_ranks: Callable[..., list[Any]]) -> None:
    """The report names the call, the window, the target rank and the rank that holds the lock."""
    with pytest.raises(DeadlockError, match=r"win.Lock on window 'table' of rank 0, which rank 1 holds") as caught:
        run_ranks(_lock_for_ever, 3)
    assert "wait-for cycle: rank 0 -> 1 -> 0" in str(caught.value)


def _start_alone(mpi: Any) -> None:
    comm = mpi.COMM_WORLD
    win = mpi.Win.Allocate(8, comm=comm)
    if comm.rank == 0:
        win.Start(comm.Get_group().Incl([2]))
    else:
        win.Fence()


def test_a_deadlock_names_the_window_of_a_start_and_of_a_fence(run_ranks: Callable[..., list[Any]]) -> None:
    """A start waits for a post, which the report says in place of the message that it consists of."""
    with pytest.raises(DeadlockError, match=r"win.Start on the window of MPI_Win_allocate of MPI_COMM_WORLD") as caught:
        run_ranks(_start_alone, 3)
    assert ", waiting for rank 2 to call MPI_Win_post, at" in str(caught.value)
    assert "win.Fence on the window of MPI_Win_allocate" in str(caught.value)


def _poll(mpi: Any, how: str) -> float:
    comm = mpi.COMM_WORLD
    win = mpi.Win.Allocate(1, comm=comm)
    memory = win.tomemory()
    memory[0] = 0
    comm.Barrier()
    win.Lock_all()
    if comm.rank == 0:
        win.Put(b"\1", 1)
    else:
        while memory[0] == 0:
            getattr(win, how)(*([1] if how == "Flush" else []))
    win.Unlock_all()
    win.Free()
    return float(mpi.Wtime())


@pytest.mark.parametrize("how", ["Sync", "Flush", "Flush_all", "Flush_local_all"])
def test_looking_at_memory_lets_time_pass(how: str, run_ranks: Callable[..., list[Any]]) -> None:
    """A rank that polls its memory in a loop sees another rank's put."""
    assert min(run_ranks(_poll, 2, how)) > 0.0


def test_a_target_that_has_ended_has_no_memory(MPI: Any) -> None:
    """An access to an ended rank is an error, and changes nothing."""

    def program(mpi: Any) -> int:
        comm = mpi.COMM_WORLD
        win = mpi.Win.Create(bytearray(8), comm=comm)
        if comm.rank == 1:
            return 0
        time.sleep(1.0)
        win.Lock(1)
        with pytest.raises(mpi.Exception, match="rank 1 of the window has ended"):
            win.Put(b"a", 1)
        return 1

    assert pysmpi.simulate(program, np=2, platform=PLATFORM, args=(MPI,)).values == [1, 0]
