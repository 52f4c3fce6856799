"""Steps with one-sided communication, whose results do not depend on the order of accesses."""

from typing import Any

import numpy as np
from mpi4py import MPI
from state import Array, State

__all__ = ["STEPS"]


def _window(s: State, slots: int) -> tuple[MPI.Win, Array]:
    """Return a window of `slots` numbers on each rank, made in one way or another, and this rank's memory."""
    way = s.draw.of(("create", "allocate", "shared"))
    if way == "create":
        memory = np.zeros(slots, "i8")
        window = MPI.Win.Create(memory, 8, comm=s.comm)
    else:
        make = MPI.Win.Allocate if way == "allocate" else MPI.Win.Allocate_shared
        window = make(8 * slots, 8, comm=s.comm)
        memory = np.frombuffer(window.tomemory(), "i8")
        memory[:] = 0
    s.comm.Barrier()
    return window, memory


def fenced(s: State) -> None:
    """Each rank puts and gets its own part of other ranks' memory, between fences."""
    length = s.draw.of((1, 20, 4000))
    window, memory = _window(s, length * s.size)
    for turn in range(s.draw.between(1, 3)):
        target = (s.rank + s.draw.between(0, s.size - 1)) % s.size
        way = s.draw.of(("put", "get", "accumulate", "typed"))
        fetched = np.zeros(length, "i8")
        window.Fence()
        if way == "put":
            window.Put(s.data(length, turn), target, [s.rank * length, length, MPI.LONG])
        elif way == "get":
            window.Get(fetched, target, [s.rank * length, length, MPI.LONG])
        elif way == "accumulate":
            window.Accumulate(s.data(length, turn), target, [0, length, MPI.LONG], s.draw.of((MPI.SUM, MPI.MAX)))
        else:
            spread = MPI.LONG.Create_vector(length, 1, s.size).Commit()
            window.Put(s.data(length, turn), target, [s.rank, 1, spread])
            spread.Free()
        window.Fence()
        s.take(memory, fetched)
    window.Free()


def posted(s: State) -> None:
    """Post, start, complete and wait between the ranks of a ring."""
    length, distance = s.draw.of((1, 30, 9000)), s.draw.between(1, s.size - 1)
    window, memory = _window(s, length)
    to, source = (s.rank + distance) % s.size, (s.rank - distance) % s.size
    everybody = s.comm.Get_group()
    origins, targets = everybody.Incl([source]), everybody.Incl([to])
    for turn in range(s.draw.between(1, 2)):
        sent, polls = s.data(length, turn), s.draw.chance(0.3)
        window.Post(origins)
        window.Start(targets)
        window.Put(sent, to)
        window.Complete()
        if polls:
            while not window.Test():
                pass
        else:
            window.Wait()
        s.take(memory)
    window.Free()
    for group in (origins, targets, everybody):
        group.Free()


def locked(s: State) -> None:
    """Count under exclusive locks, or by atomic operations under shared ones."""
    window, memory = _window(s, 4)
    target, way = s.draw.below(s.size), s.draw.of(("exclusive", "fetch", "swap", "accumulate"))
    one, old = np.array([s.rank + 1]), np.zeros(1, "i8")
    for _ in range(s.draw.between(1, 3)):
        if way == "exclusive":
            window.Lock(target)
            window.Get(old, target, [0, 1, MPI.LONG])
            window.Flush(target)
            window.Put(old + one, target, [0, 1, MPI.LONG])
            window.Unlock(target)
        elif way == "fetch":
            window.Lock(target, MPI.LOCK_SHARED)
            window.Fetch_and_op(one, old, target, 1, MPI.SUM)
            window.Unlock(target)
        elif way == "accumulate":
            window.Lock(target, MPI.LOCK_SHARED)
            window.Get_accumulate(one, old, target, [2, 1, MPI.LONG], op=MPI.SUM)
            window.Flush_local(target)
            window.Unlock(target)
        else:  # each rank takes its turn: the number of ranks that have been there before
            window.Lock(target, MPI.LOCK_SHARED)
            mine, found = np.array([s.rank + 1]), np.array([-1])
            while found[0] != s.rank:
                window.Compare_and_swap(mine, np.array([s.rank]), found, target, 3)
                window.Flush(target)
            window.Unlock(target)
            s.comm.Barrier()
            if s.rank == target:
                window.Lock(target)
                memory[3] = 0
                window.Unlock(target)
            s.comm.Barrier()
    s.comm.Barrier()
    window.Lock(s.rank, MPI.LOCK_SHARED)
    s.take(memory)
    window.Unlock(s.rank)
    window.Free()


def requested(s: State) -> None:
    """Accesses with requests and flushes, while all ranks are locked."""
    length = s.draw.of((1, 20, 5000))
    window, memory = _window(s, length * (s.size + 1))
    window.Lock_all()
    target = (s.rank + s.draw.between(0, s.size - 1)) % s.size
    sent, total = s.data(length), [s.size * length, length, MPI.LONG]
    place = [s.rank * length, length, MPI.LONG]
    window.Rput(sent, target, place).Wait()
    getattr(window, s.draw.of(("Flush", "Flush_local")))(target)
    window.Raccumulate(sent, target, total, MPI.SUM).Wait()
    window.Flush_all()
    s.comm.Barrier()
    fetched, old = np.zeros(length, "i8"), np.zeros(length, "i8")
    request = window.Rget(fetched, target, place)
    window.Rget_accumulate(sent, old, target, place, op=MPI.NO_OP).Wait()
    request.Wait()
    window.Flush_local_all()
    window.Sync()
    window.Unlock_all()
    s.comm.Barrier()
    s.take(memory, fetched, old)
    window.Free()


def dynamic(s: State) -> None:
    length = s.draw.of((1, 100))
    memory = np.zeros(length * s.size, "i8")
    window = MPI.Win.Create_dynamic(comm=s.comm)
    window.Attach(memory)
    bases: Any = s.comm.allgather(MPI.Get_address(memory))
    target = (s.rank + s.draw.below(s.size)) % s.size
    window.Fence()
    window.Put(s.data(length), target, [bases[target] + 8 * s.rank * length, length, MPI.LONG])
    window.Fence()
    s.take(memory)
    s.comm.Barrier()
    window.Detach(memory)
    window.Free()


def neighbours_memory(s: State) -> None:
    """Write into another rank's part of a shared window directly."""
    window = MPI.Win.Allocate_shared(8 * 5, 8, comm=s.comm)
    mine = np.frombuffer(window.Shared_query(s.rank)[0], "i8")
    theirs = np.frombuffer(window.Shared_query((s.rank + 1) % s.size)[0], "i8")
    mine[:] = 0
    window.Fence()
    theirs[:] = s.data(5)
    window.Fence()
    s.take(mine.copy())
    window.Free()


STEPS = (fenced, fenced, posted, locked, locked, requested, requested, dynamic, neighbours_memory)
