"""Patterns of reference.c in mpi4py: pattern.py PATTERN BYTES ROUNDS."""

import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
pattern, nbytes, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
others, first = comm.Get_group().Excl([0]), comm.Get_group().Incl([0])
into, out = bytearray(nbytes + 8), bytearray(nbytes + 8)
block = memoryview(out)[:nbytes]
one, old, zero = (bytearray(4) for _ in range(3))
one[0] = 1
after = (rank + 1) % size
acts = rank % 2 == 0 and after != 0  # to a rank that is otherwise idle


def run(win: MPI.Win) -> None:
    """Run one round."""
    if pattern == "create":
        MPI.Win.Create(into, 1, comm=comm).Free()
        MPI.Win.Allocate(nbytes, 1, comm=comm).Free()
    elif pattern == "put":
        win.Fence()
        win.Put(block, after)
        win.Fence()
    elif pattern == "get":
        win.Fence(MPI.MODE_NOPRECEDE)
        win.Get(block, after)
        win.Fence(MPI.MODE_NOSUCCEED)
    elif pattern == "putall":
        win.Fence()
        for to in range(size):
            win.Put(block, to)
        win.Fence()
    elif pattern == "accumulate":
        win.Fence()
        win.Accumulate([block, MPI.INT], 0)
        win.Fence()
    elif pattern == "pscw":
        if rank == 0:
            win.Start(others)
            for to in range(1, size):
                win.Put(block, to)
            win.Complete()
        else:
            win.Post(first)
            win.Wait()
    elif pattern == "lock":
        if acts:
            win.Lock(after)
            win.Put(block, after)
            win.Flush(after)
            win.Get(block, after)
            win.Unlock(after)
        comm.Barrier()
    elif pattern in {"fetch", "read"}:
        win.Lock(0, MPI.LOCK_SHARED)
        win.Fetch_and_op([one, MPI.INT], [old, MPI.INT], 0, op=MPI.SUM if pattern == "fetch" else MPI.NO_OP)
        win.Unlock(0)
    elif pattern == "swap":
        if acts:
            win.Lock(after, MPI.LOCK_SHARED)
            win.Compare_and_swap([one, MPI.INT], [zero, MPI.INT], [old, MPI.INT], after)
            win.Unlock(after)
        comm.Barrier()
    elif pattern == "requests":
        if acts:
            win.Lock(after, MPI.LOCK_SHARED)
            win.Rput(block, after).Wait()
            win.Rget(block, after).Wait()
            win.Unlock(after)
        comm.Barrier()
    elif pattern == "all":
        if rank == 0:
            win.Lock_all()
            for to in range(size):
                win.Accumulate([block, MPI.INT], to)
                win.Get(block, to)
            win.Flush_all()
            win.Unlock_all()
        comm.Barrier()


window = MPI.Win.Create(into, 1, comm=comm)
comm.Barrier()
for _ in range(rounds):
    run(window)
print(f"R {rank} {MPI.Wtime():.12g}")
window.Free()
