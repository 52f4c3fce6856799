"""Effects of accesses on memory, compared with a plain reference."""

import array
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.both_modes

LENGTH = 6  # ints in each rank's memory
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "SUM": lambda new, old: new + old,
    "MAX": max,
    "REPLACE": lambda new, old: new,
}

# An access: (kind, origin, target, place, value). Results at a place must not depend on the order within an epoch:
# puts use distinct places, and all accumulates of one epoch are sums.
PLACES = st.integers(0, LENGTH - 1)


@st.composite
def programs(draw: st.DrawFn) -> tuple[int, list[list[tuple[str, int, int, int, int]]]]:
    """Draw a number of ranks, and epochs of accesses."""
    ranks = draw(st.integers(1, 5))
    members = st.integers(0, ranks - 1)
    epochs = []
    for _ in range(draw(st.integers(1, 4))):
        kind = st.sampled_from(["put", "get", "add"])
        drawn = draw(st.lists(st.tuples(kind, members, members, PLACES, st.integers(-9, 9)), max_size=8))
        used: dict[tuple[int, int], str] = {}
        epoch = []
        for access in drawn:
            where = access[2], access[3]
            before = used.setdefault(where, access[0])
            if before == access[0] and (before != "put" or where not in {(e[2], e[3]) for e in epoch}):
                epoch.append(access)
        epochs.append(epoch)
    return ranks, epochs


def _play(mpi: Any, epochs: list[list[tuple[str, int, int, int, int]]], mode: str) -> tuple[list[int], list[int]]:
    """Run the program in one rank; return its memory at the end, and the values it got."""
    comm = mpi.COMM_WORLD
    memory = array.array("i", [100 * comm.rank + place for place in range(LENGTH)])
    win = mpi.Win.Create(memory, memory.itemsize, comm=comm)
    everyone = comm.Get_group()
    got = []
    for epoch in epochs:
        if mode == "fence":
            win.Fence()
        elif mode == "post":
            win.Post(everyone)
            win.Start(everyone)
        else:
            comm.Barrier()
            win.Lock_all()
        reads = []
        for kind, origin, target, place, value in epoch:
            if origin != comm.rank:
                continue
            cell = array.array("i", [value])
            if kind == "put":
                win.Put(cell, target, place)
            elif kind == "add":
                win.Accumulate(cell, target, place, mpi.SUM)
            else:
                win.Get(cell, target, place)
                reads.append(cell)
        if mode == "fence":
            win.Fence()
        elif mode == "post":
            win.Complete()
            win.Wait()
        else:
            win.Unlock_all()
            comm.Barrier()
        got += [cell[0] for cell in reads]
    win.Free()
    return memory.tolist(), got


def _expect(ranks: int, epochs: list[list[tuple[str, int, int, int, int]]]) -> list[tuple[list[int], list[int]]]:
    memories = [[100 * rank + place for place in range(LENGTH)] for rank in range(ranks)]
    got: list[list[int]] = [[] for _ in range(ranks)]
    for epoch in epochs:
        for kind, origin, target, place, value in epoch:
            if kind == "get":
                got[origin].append(memories[target][place])
            else:
                memories[target][place] = value + (memories[target][place] if kind == "add" else 0)
    return list(zip(memories, got, strict=True))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=programs(), mode=st.sampled_from(["fence", "post", "lock_all"]))
def test_epochs_equal_a_plain_reference(program: Any, mode: str, run_ranks: Callable[..., list[Any]]) -> None:
    """All puts, gets and accumulates have the reference's results, for every kind of synchronisation."""
    ranks, epochs = program
    assert run_ranks(_play, ranks, epochs, mode) == _expect(ranks, epochs)


def _accumulate_strided(mpi: Any, name: str) -> list[float]:
    comm = mpi.COMM_WORLD
    memory = array.array("d", range(8))
    win = mpi.Win.Create(memory, 8, comm=comm)
    every_other = mpi.DOUBLE.Create_vector(3, 1, 2).Commit()
    win.Fence()
    if comm.rank == 1:
        win.Accumulate([array.array("d", [10, -20, 30]), 3, mpi.DOUBLE], 0, [1, 1, every_other], getattr(mpi, name))
    win.Fence()
    win.Free()
    every_other.Free()
    return memory.tolist()


@pytest.mark.parametrize("name", OPERATIONS)
def test_accumulates_into_strided_memory(name: str, run_ranks: Callable[..., list[Any]]) -> None:
    """Items lie where the target's datatype places them; memory between them stays unchanged."""
    expected = [float(i) for i in range(8)]
    for place, value in ((1, 10), (3, -20), (5, 30)):
        expected[place] = OPERATIONS[name](value, int(expected[place]))
    assert run_ranks(_accumulate_strided, 2, name) == [expected, [float(i) for i in range(8)]]


def _locate(mpi: Any) -> list[tuple[float, int]]:
    import numpy as np

    pair = np.dtype([("value", "d"), ("rank", "i")], align=True)
    memory = np.array([(100.0, -1), (-100.0, -1)], pair)
    comm = mpi.COMM_WORLD
    win = mpi.Win.Create(memory, pair.itemsize, comm=comm)
    mine = np.array([(comm.rank - 5.0, comm.rank), (5.0 - comm.rank, comm.rank)], pair)
    win.Fence()
    win.Accumulate([mine[:1], 1, mpi.DOUBLE_INT], 0, [0, 1, mpi.DOUBLE_INT], mpi.MINLOC)
    win.Accumulate([mine[1:], 1, mpi.DOUBLE_INT], 0, [1, 1, mpi.DOUBLE_INT], mpi.MAXLOC)
    win.Fence()
    win.Free()
    return [(float(value), int(rank)) for value, rank in memory]


def test_accumulates_pairs(run_ranks: Callable[..., list[Any]]) -> None:
    """MPI_MINLOC and MPI_MAXLOC work on pairs that C pads at the end."""
    assert run_ranks(_locate, 4)[0] == [(-5.0, 0), (5.0, 0)]


def _tickets(mpi: Any, rounds: int) -> list[int]:
    comm = mpi.COMM_WORLD
    win = mpi.Win.Allocate(8 if comm.rank == 0 else 0, 8, comm=comm)
    if comm.rank == 0:
        memoryview(win).cast("q")[0] = 0
    comm.Barrier()
    taken = []
    for _ in range(rounds):
        one, ticket = array.array("q", [1]), array.array("q", [0])
        win.Lock(0, mpi.LOCK_SHARED)
        win.Fetch_and_op(one, ticket, 0)
        win.Unlock(0)
        taken.append(ticket[0])
    win.Free()
    return taken


@pytest.mark.parametrize("ranks", [1, 5, 1000])
def test_each_ticket_is_given_once(ranks: int, run_ranks: Callable[..., list[Any]]) -> None:
    """Fetching and adding is atomic."""
    taken = run_ranks(_tickets, ranks, 2)
    assert sorted(ticket for each in taken for ticket in each) == list(range(2 * ranks))


def _swap(mpi: Any) -> int:
    comm = mpi.COMM_WORLD
    win = mpi.Win.Allocate(4, 4, comm=comm)
    memoryview(win).cast("i")[0] = -1
    comm.Barrier()
    mine, free, found = (array.array("i", [value]) for value in (comm.rank, -1, 0))
    win.Lock_all()
    win.Compare_and_swap(mine, free, found, 0)
    win.Unlock_all()
    win.Free()
    return found[0]


def test_one_rank_alone_swaps(run_ranks: Callable[..., list[Any]]) -> None:
    """One of several ranks that compare and swap succeeds, and the others see its value."""
    found = run_ranks(_swap, 7)
    winner = found.index(-1)
    assert found == [-1 if rank == winner else winner for rank in range(7)]


def _dynamic(mpi: Any) -> tuple[bytes, int]:
    comm = mpi.COMM_WORLD
    win = mpi.Win.Create_dynamic(comm=comm)
    memory = bytearray(b"--------")
    win.Attach(memory)
    addresses = comm.allgather(mpi.Get_address(memory))
    win.Fence()
    win.Put(b"ab", (comm.rank + 1) % comm.size, [addresses[(comm.rank + 1) % comm.size] + 3, 2, mpi.BYTE])
    win.Fence()
    win.Detach(memory)
    comm.Barrier()
    win.Lock((comm.rank + 1) % comm.size)
    try:
        win.Put(b"ab", (comm.rank + 1) % comm.size, [addresses[(comm.rank + 1) % comm.size], 2, mpi.BYTE])
        code = 0
    except mpi.Exception as error:
        code = error.Get_error_class()
    win.Unlock((comm.rank + 1) % comm.size)
    win.Free()
    return bytes(memory), code


def test_dynamic_windows(MPI: Any, run_ranks: Callable[..., list[Any]]) -> None:
    assert run_ranks(_dynamic, 3) == [(b"---ab---", MPI.ERR_RMA_RANGE)] * 3


def _share(mpi: Any) -> list[int]:
    comm = mpi.COMM_WORLD.Split_type(mpi.COMM_TYPE_SHARED)
    win = mpi.Win.Allocate_shared(comm.rank + 1, 1, comm=comm)
    win.tomemory()[:] = bytes([comm.rank]) * (comm.rank + 1)
    comm.Barrier()
    base = win.Shared_query(0)[0].address
    last, _ = win.Shared_query(comm.size - 1)
    assert last.address - base == sum(range(1, comm.size))
    seen = [win.Shared_query(rank)[0][0] for rank in range(comm.size)]
    win.Free()
    return seen


def test_shared_windows(run_ranks: Callable[..., list[Any]]) -> None:
    assert run_ranks(_share, 3) == [[0, 1, 2]] * 3


def test_memory_that_outlives_its_rank(run_ranks: Callable[..., list[Any]]) -> None:
    """Memory allocated with a window stays if a rank ends without freeing it; a program's own memory does not."""

    def read(MPI: Any) -> tuple[list[int], bool]:
        world = MPI.COMM_WORLD
        allocated = MPI.Win.Allocate(4, comm=world)
        own = MPI.Win.Create(array.array("i", [7]), comm=world)
        memoryview(allocated).cast("i")[0] = 42
        world.Barrier()
        if world.rank == 0:
            return [], False
        time.sleep(1)  # rank 0 ends meanwhile
        found = array.array("i", [0])
        allocated.Lock(0)
        allocated.Get(found, 0)
        allocated.Unlock(0)
        own.Lock(0)
        try:
            own.Get(found, 0)
        except MPI.Exception as error:
            return found.tolist(), error.Get_error_class() == MPI.ERR_RMA_SYNC
        finally:
            own.Unlock(0)
        return found.tolist(), False

    assert run_ranks(read, 2) == [([], False), ([42], True)]
