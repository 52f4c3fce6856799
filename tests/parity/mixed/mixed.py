"""Twin of mixed.c for mpi4py."""

import sys
import time
from typing import Any

import numpy as np
from mpi4py import MPI

import pysmpi

TYPES = {1: MPI.DOUBLE, 4: MPI.INT}
SIZES = {1: 8, 4: 4}


class _Rank:
    """Runs the operations of one rank; the names of its methods are those of operations."""

    def __init__(self, room: int) -> None:
        self.sent, self.received, self.exposed = (np.zeros(room, np.uint8) for _ in range(3))
        self.comms: dict[int, Any] = {0: MPI.COMM_WORLD}
        self.requests: dict[int, Any] = {}
        self.windows: dict[int, Any] = {}
        self.status = MPI.Status()

    def flops(self, amount: float) -> None:
        pysmpi.execute_flops(amount)

    def sleep(self, microseconds: float) -> None:
        time.sleep(microseconds * 1e-6)

    # Communicators

    def split(self, slot: int, new: int, colour: int, key: int) -> None:
        self.comms[new] = self.comms[slot].Split(colour if colour >= 0 else MPI.UNDEFINED, key)

    def dup(self, slot: int, new: int) -> None:
        self.comms[new] = self.comms[slot].Dup()

    def create(self, slot: int, new: int, *ranks: int) -> None:
        self.comms[new] = self.comms[slot].Create(self.comms[slot].Get_group().Incl(ranks))

    # Messages

    def isend(self, slot: int, to: int, tag: int, size: int, request: int) -> None:
        self.requests[request] = self.comms[slot].Isend([self.sent, size, MPI.BYTE], to, tag)

    def issend(self, slot: int, to: int, tag: int, size: int, request: int) -> None:
        self.requests[request] = self.comms[slot].Issend([self.sent, size, MPI.BYTE], to, tag)

    def irecv(self, slot: int, source: int, tag: int, size: int, request: int) -> None:
        source, tag = source if source >= 0 else MPI.ANY_SOURCE, tag if tag >= 0 else MPI.ANY_TAG
        self.requests[request] = self.comms[slot].Irecv([self.received, size, MPI.BYTE], source, tag)

    def send(self, slot: int, to: int, tag: int, size: int) -> None:
        self.comms[slot].Send([self.sent, size, MPI.BYTE], to, tag)

    def recv(self, slot: int, source: int, tag: int, size: int) -> None:
        self.comms[slot].Recv([self.received, size, MPI.BYTE], source, tag)

    def _answer(self, slot: int, source: int, tag: int, size: int, answered: int) -> None:
        self.comms[slot].Recv([self.received, size, MPI.BYTE], source, tag, self.status)
        self.send(slot, self.status.source, tag + 1, answered)

    def reply(self, slot: int, tag: int, size: int, answered: int) -> None:
        self._answer(slot, MPI.ANY_SOURCE, tag, size, answered)

    def preply(self, slot: int, tag: int, size: int, answered: int) -> None:
        self.comms[slot].Probe(MPI.ANY_SOURCE, tag, self.status)
        self._answer(slot, self.status.source, tag, size, answered)

    def ipreply(self, slot: int, tag: int, size: int, answered: int) -> None:
        while not self.comms[slot].Iprobe(MPI.ANY_SOURCE, tag, self.status):
            pass
        self._answer(slot, self.status.source, tag, size, answered)

    # Completion

    def wait(self, request: int) -> None:
        self.requests[request].Wait()

    def test(self, request: int) -> None:
        while not self.requests[request].Test():
            pass

    def waitall(self, *requests: int) -> None:
        MPI.Request.Waitall([self.requests[each] for each in requests])

    def waitany(self, *requests: int) -> None:
        pending = [self.requests[each] for each in requests]
        while MPI.Request.Waitany(pending) != MPI.UNDEFINED:
            pass

    def waitsome(self, *requests: int) -> None:
        pending = [self.requests[each] for each in requests]
        while MPI.Request.Waitsome(pending) is not None:
            pass

    def testall(self, *requests: int) -> None:
        pending = [self.requests[each] for each in requests]
        while not MPI.Request.Testall(pending):
            pass

    def testany(self, *requests: int) -> None:
        pending = [self.requests[each] for each in requests]
        while MPI.Request.Testany(pending) != (MPI.UNDEFINED, True):
            pass

    def testsome(self, *requests: int) -> None:
        pending = [self.requests[each] for each in requests]
        while MPI.Request.Testsome(pending) is not None:
            pass

    # Windows

    def wincreate(self, slot: int, window: int, size: int) -> None:
        self.windows[window] = MPI.Win.Create(self.exposed[:size], 1, comm=self.comms[slot])

    def winfree(self, window: int) -> None:
        self.windows[window].Free()

    def fence(self, window: int, is_first: int) -> None:
        self.windows[window].Fence(MPI.MODE_NOPRECEDE if is_first else 0)

    def put(self, window: int, target: int, size: int) -> None:
        self.windows[window].Put([self.sent, size, MPI.BYTE], target, [0, size, MPI.BYTE])

    def get(self, window: int, target: int, size: int) -> None:
        self.windows[window].Get([self.received, size, MPI.BYTE], target, [0, size, MPI.BYTE])

    def acc(self, window: int, target: int, size: int) -> None:
        there = [0, size // 8, MPI.DOUBLE]
        self.windows[window].Accumulate([self.sent, size // 8, MPI.DOUBLE], target, there, MPI.SUM)

    def gacc(self, window: int, target: int, size: int) -> None:
        sent, received = ([each, size // 8, MPI.DOUBLE] for each in (self.sent, self.received))
        self.windows[window].Get_accumulate(sent, received, target, [0, size // 8, MPI.DOUBLE], MPI.SUM)

    def fop(self, window: int, target: int) -> None:
        sent, received = ([each, 1, MPI.DOUBLE] for each in (self.sent, self.received))
        self.windows[window].Fetch_and_op(sent, received, target, 0, MPI.SUM)

    def lock(self, window: int, target: int) -> None:
        self.windows[window].Lock(target, MPI.LOCK_SHARED)

    def xlock(self, window: int, target: int) -> None:
        self.windows[window].Lock(target, MPI.LOCK_EXCLUSIVE)

    def unlock(self, window: int, target: int) -> None:
        self.windows[window].Unlock(target)

    def lockall(self, window: int) -> None:
        self.windows[window].Lock_all()

    def unlockall(self, window: int) -> None:
        self.windows[window].Unlock_all()

    def flush(self, window: int, target: int) -> None:
        self.windows[window].Flush(target)

    def flushlocal(self, window: int, target: int) -> None:
        self.windows[window].Flush_local(target)

    def flushall(self, window: int) -> None:
        self.windows[window].Flush_all()

    def flushlocalall(self, window: int) -> None:
        self.windows[window].Flush_local_all()

    def cas(self, window: int, target: int) -> None:
        sent, received = ([each, 1, MPI.INT] for each in (self.sent, self.received))
        self.windows[window].Compare_and_swap(sent, sent, received, target, 0)

    def rput(self, window: int, target: int, size: int, request: int) -> None:
        there = [0, size, MPI.BYTE]
        self.requests[request] = self.windows[window].Rput([self.sent, size, MPI.BYTE], target, there)

    def rget(self, window: int, target: int, size: int, request: int) -> None:
        there = [0, size, MPI.BYTE]
        self.requests[request] = self.windows[window].Rget([self.received, size, MPI.BYTE], target, there)

    def racc(self, window: int, target: int, size: int, request: int) -> None:
        sent, there = [self.sent, size // 8, MPI.DOUBLE], [0, size // 8, MPI.DOUBLE]
        self.requests[request] = self.windows[window].Raccumulate(sent, target, there, MPI.SUM)

    def rgacc(self, window: int, target: int, size: int, request: int) -> None:
        sent, received = ([each, size // 8, MPI.DOUBLE] for each in (self.sent, self.received))
        there = [0, size // 8, MPI.DOUBLE]
        self.requests[request] = self.windows[window].Rget_accumulate(sent, received, target, there, MPI.SUM)

    def post(self, slot: int, window: int, *origins: int) -> None:
        self.windows[window].Post(self.comms[slot].Get_group().Incl(origins))

    def startw(self, slot: int, window: int, *targets: int) -> None:
        self.windows[window].Start(self.comms[slot].Get_group().Incl(targets))

    def complete(self, window: int) -> None:
        self.windows[window].Complete()

    def waitw(self, window: int) -> None:
        self.windows[window].Wait()

    def collective(self, name: str, slot: int, root: int, size: int, kind: int) -> None:
        """Call a collective with blocks of `size` bytes; those with one count a rank have blocks of several sizes."""
        comm, datatype, count = self.comms[slot], TYPES[kind], size // SIZES[kind]
        sent, received = [self.sent, count, datatype], [self.received, count, datatype]
        counts = [count * ((rank * 7 + 3) % 5) // 4 for rank in range(comm.size)]
        starts = [sum(counts[:rank]) for rank in range(comm.size)]
        mine, blocks = counts[comm.rank], (counts, starts)
        if name == "barrier":
            comm.Barrier()
        elif name == "bcast":
            comm.Bcast(sent, root)
        elif name == "reduce":
            comm.Reduce(sent, received, MPI.SUM, root)
        elif name in ("allreduce", "scan", "exscan"):
            getattr(comm, name.capitalize())(sent, received, MPI.SUM)
        elif name in ("gather", "scatter"):
            getattr(comm, name.capitalize())(sent, received, root)
        elif name in ("allgather", "alltoall"):
            getattr(comm, name.capitalize())(sent, received)
        elif name == "rsb":
            comm.Reduce_scatter_block(sent, received, MPI.SUM)
        elif name == "allgatherv":
            comm.Allgatherv([self.sent, mine, datatype], [self.received, blocks, datatype])
        elif name == "gatherv":
            comm.Gatherv([self.sent, mine, datatype], [self.received, blocks, datatype], root)
        elif name == "scatterv":
            comm.Scatterv([self.sent, blocks, datatype], [self.received, mine, datatype], root)
        elif name == "alltoallv":
            own = ([mine] * comm.size, [rank * mine for rank in range(comm.size)])
            comm.Alltoallv([self.sent, blocks, datatype], [self.received, own, datatype])
        else:
            raise ValueError(f"unknown operation {name!r}")

    def nonblocking(self, name: str, slot: int, root: int, size: int, kind: int, request: int) -> None:
        """Start a nonblocking collective; the blocks are those of `collective`."""
        comm, datatype, count = self.comms[slot], TYPES[kind], size // SIZES[kind]
        sent, received = [self.sent, count, datatype], [self.received, count, datatype]
        counts = [count * ((rank * 7 + 3) % 5) // 4 for rank in range(comm.size)]
        starts = [sum(counts[:rank]) for rank in range(comm.size)]
        mine = counts[comm.rank]
        own = ([mine] * comm.size, [rank * mine for rank in range(comm.size)])
        if name == "ibarrier":
            begun = comm.Ibarrier()
        elif name == "ibcast":
            begun = comm.Ibcast(sent, root)
        elif name == "ireduce":
            begun = comm.Ireduce(sent, received, MPI.SUM, root)
        elif name in ("iallreduce", "iscan", "iexscan"):
            begun = getattr(comm, name.capitalize())(sent, received, MPI.SUM)
        elif name in ("igather", "iscatter"):
            begun = getattr(comm, name.capitalize())(sent, received, root)
        elif name in ("iallgather", "ialltoall"):
            begun = getattr(comm, name.capitalize())(sent, received)
        elif name == "irsb":
            begun = comm.Ireduce_scatter_block(sent, received, MPI.SUM)
        elif name == "ireducescatter":
            begun = comm.Ireduce_scatter([self.sent, sum(counts), datatype], [self.received, mine, datatype], counts)
        elif name == "iallgatherv":
            begun = comm.Iallgatherv([self.sent, mine, datatype], [self.received, (counts, starts), datatype])
        elif name == "igatherv":
            begun = comm.Igatherv([self.sent, mine, datatype], [self.received, (counts, starts), datatype], root)
        elif name == "iscatterv":
            begun = comm.Iscatterv([self.sent, (counts, starts), datatype], [self.received, mine, datatype], root)
        elif name == "ialltoallv":
            begun = comm.Ialltoallv([self.sent, (counts, starts), datatype], [self.received, own, datatype])
        elif name == "ialltoallw":
            sides = (
                [buffer, [numbers, [each * SIZES[kind] for each in places]], [datatype] * comm.size]
                for buffer, (numbers, places) in ((self.sent, (counts, starts)), (self.received, own))
            )
            begun = comm.Ialltoallw(*sides)
        else:
            raise ValueError(f"unknown operation {name!r}")
        self.requests[request] = begun


def main(path: str) -> None:
    """Run this rank's lines of the program, and print its clock after each step."""
    times = []
    with open(path) as program:
        rank = _Rank(int(program.readline()))
        begun = MPI.Wtime()
        for line in program:
            number, operation, *rest = line.split()
            if int(number) != MPI.COMM_WORLD.rank:
                continue
            arguments = [int(float(each)) for each in rest]
            if operation == "T":
                times.append(MPI.Wtime() - begun)
            elif hasattr(rank, operation):
                getattr(rank, operation)(*arguments)
            elif operation[0] == "i":
                rank.nonblocking(operation, *arguments)
            else:
                rank.collective(operation, *arguments)
    print("R", MPI.COMM_WORLD.rank, *(f"{each:.13g}" for each in times), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
