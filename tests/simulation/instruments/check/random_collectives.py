"""Random correct collective calls: all functions in all forms, between and within groups, in every role."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

ROOTED = ("Bcast", "Reduce", "Gather", "Gatherv", "Scatter", "Scatterv")
REDUCING = ("Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter", "Reduce_scatter_block")
INTRA = (*ROOTED, *REDUCING[1:], "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Barrier")
INTER = tuple(name for name in INTRA if name not in ("Scan", "Exscan"))
NEIGHBOURHOOD = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
FORMS = ("blocking", "nonblocking", "persistent")


class Caller:
    """Makes the calls of one rank, and keeps the data that it has received.

    All ranks draw the same numbers from `random`.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.received: list[bytes] = []
        world = MPI.COMM_WORLD
        self.low = world.rank < 2
        self.half = world.Split(int(self.low), world.rank)
        self.between = self.half.Create_intercomm(0, world, 2 if self.low else 0)
        self.ring = world.Create_cart([world.size], [True])
        targets = [(world.rank + 1) % world.size] if world.rank % 2 else []
        self.graph = world.Create_dist_graph([world.rank], [len(targets)], targets)

    def free(self) -> None:
        for comm in (self.graph, self.ring, self.between, self.half):
            comm.Free()

    def numbers(self, count: int) -> Any:
        """Return the numbers that the rank sends; a null pointer in place of no numbers, sometimes."""
        self.step += 1
        if count == 0 and self.nulls:
            return self.nothing()
        return np.arange(count, dtype=self.dtype) + 10 * MPI.COMM_WORLD.rank + self.step

    def room(self, count: int) -> Any:
        """Return memory for the numbers that the rank receives."""
        array = np.zeros(count, self.dtype)
        self.arrays.append(array)
        return self.nothing() if count == 0 and self.nulls else array

    def nothing(self) -> Any:
        return [None, 0, self.datatype()]

    def datatype(self) -> MPI.Datatype:
        return MPI.INT if self.dtype == "i4" else MPI.DOUBLE

    def call(self, comm: MPI.Comm, name: str, form: str) -> None:
        draw = self.random
        self.dtype = draw.choice(("i4", "f8"))
        self.nulls, self.step = draw.random() < 0.5, draw.randrange(100)
        self.arrays: list[Any] = []
        count, in_place, root = draw.randrange(4), draw.random() < 0.3, draw.random()
        self.matrix = [[draw.randrange(3) for _ in range(5)] for _ in range(5)]
        if name.startswith("neighbor_"):
            arguments = self.neighbours(comm, name.removeprefix("neighbor_"), count)
        elif comm.Is_inter():
            arguments = self.inter(comm, name, count, root)
        else:
            arguments = self.intra(comm, name, count, int(root * comm.size), in_place)
        self.execute(comm, name, form, arguments)
        self.received += [array.tobytes() for array in self.arrays]

    @staticmethod
    def execute(comm: MPI.Comm, name: str, form: str, arguments: list[Any]) -> None:
        name = name.capitalize()
        if form == "blocking":
            getattr(comm, name)(*arguments)
        elif form == "nonblocking":
            getattr(comm, f"I{name.lower()}")(*arguments).Wait()
        else:
            request = getattr(comm, f"{name}_init")(*arguments)
            for _ in range(2):
                request.Start()
                request.Wait()
            request.Free()

    def vector(self, counts: list[int], make: Callable[[int], Any]) -> list[Any]:
        places = [sum(counts[:i]) for i in range(len(counts))]
        buffer = make(sum(counts))
        return [buffer[0] if isinstance(buffer, list) else buffer, counts, places, self.datatype()]

    def typed(self, counts: list[int], make: Callable[[int], Any]) -> list[Any]:
        buffer, counts, places, datatype = self.vector(counts, make)
        return [buffer, counts, [each * datatype.size for each in places], [datatype] * len(counts)]

    def reduction(self, name: str, count: int, size: int, sends: bool, receives: bool) -> list[Any]:
        whole = count * size if name.startswith("Reduce_scatter") else count
        sent = self.numbers(whole) if sends else None
        received = self.room(count) if receives else None
        return [sent, received, *([[count] * size] if name == "Reduce_scatter" else []), MPI.SUM]

    def intra(self, comm: MPI.Comm, name: str, count: int, root: int, in_place: bool) -> list[Any]:
        me, size, at_root = comm.rank, comm.size, comm.rank == root
        counts = self.matrix[0][:size]
        if name == "Barrier":
            return []
        if name == "Bcast":
            buffer = self.room(count)
            if at_root and count > 0:
                buffer[:] = self.numbers(count)
            return [buffer, root]
        if name in REDUCING:
            arguments = self.reduction(name, count, size, True, name != "Reduce" or at_root)
            if name == "Exscan" and me == 0 and not in_place:
                arguments[1] = self.nothing() if self.nulls and count == 0 else arguments[1]
            if in_place and (name != "Reduce" or at_root) and count > 0 and not name.startswith("Reduce_scatter"):
                arguments[1][:] = arguments[0]
                arguments[0] = MPI.IN_PLACE
            return [*arguments, root] if name == "Reduce" else arguments
        if name == "Gather":
            sent = MPI.IN_PLACE if in_place and at_root else self.numbers(count)
            return [sent, self.room(count * size) if at_root else None, root]
        if name == "Gatherv":
            return [self.numbers(counts[me]), self.vector(counts, self.room) if at_root else None, root]
        if name == "Scatter":
            received = MPI.IN_PLACE if in_place and at_root else self.room(count)
            return [self.numbers(count * size) if at_root else None, received, root]
        if name == "Scatterv":
            return [self.vector(counts, self.numbers) if at_root else None, self.room(counts[me]), root]
        if name == "Allgather":
            return [MPI.IN_PLACE if in_place else self.numbers(count), self.room(count * size)]
        if name == "Allgatherv":
            return [MPI.IN_PLACE if in_place else self.numbers(counts[me]), self.vector(counts, self.room)]
        if name == "Alltoall":
            return [MPI.IN_PLACE if in_place else self.numbers(count * size), self.room(count * size)]
        into = [self.matrix[other][me] for other in range(size)]
        make = self.vector if name == "Alltoallv" else self.typed
        return [make(self.matrix[me][:size], self.numbers), make(into, self.room)]

    def inter(self, comm: MPI.Comm, name: str, count: int, draw: float) -> list[Any]:
        me, others, low_has_root = comm.rank, comm.remote_size, draw < 0.5
        if name == "Barrier":
            return []
        if name in ROOTED:
            return self.inter_rooted(comm, name, count, draw, low_has_root)
        if name.startswith("Reduce_scatter"):  # the results of both groups have the same length
            own, theirs = comm.size, others
            total = count * own * theirs
            counts = [[count * theirs] * own] if name == "Reduce_scatter" else []
            return [self.numbers(total), self.room(count * theirs), *counts, MPI.SUM]
        if name == "Allreduce":
            return self.reduction(name, count, others, True, True)
        counts = self.matrix[int(self.low)]
        own, theirs = counts, self.matrix[1 - int(self.low)]
        if name == "Allgather":
            return [self.numbers(own[0]), self.room(theirs[0] * others)]
        if name == "Allgatherv":
            return [self.numbers(own[me]), self.vector(theirs[:others], self.room)]
        if name == "Alltoall":
            return [self.numbers(count * others), self.room(count * others)]
        place = me if self.low else me + 2
        ranks = range(2, 2 + others) if self.low else range(others)
        make = self.vector if name == "Alltoallv" else self.typed
        sent, into = [self.matrix[place][i] for i in ranks], [self.matrix[i][place] for i in ranks]
        return [make(sent, self.numbers), make(into, self.room)]

    def inter_rooted(self, comm: MPI.Comm, name: str, count: int, draw: float, low_has_root: bool) -> list[Any]:
        others, counts = comm.remote_size, self.matrix[0]
        if self.low != low_has_root:
            root, me = int(draw * 10) % others, comm.rank
            if name in ("Bcast", "Scatter", "Scatterv"):
                received = self.room(counts[me] if name == "Scatterv" else count)
                return [received, root] if name == "Bcast" else [None, received, root]
            sent = self.numbers(counts[me] if name == "Gatherv" else count)
            return [sent, None, MPI.SUM, root] if name == "Reduce" else [sent, None, root]
        at_root = comm.rank == int(draw * 10) % comm.size
        root = MPI.ROOT if at_root else MPI.PROC_NULL
        if not at_root:
            return [None, root] if name == "Bcast" else [None, None, *([MPI.SUM] if name == "Reduce" else []), root]
        if name == "Bcast":
            return [self.numbers(count), root]
        if name == "Reduce":
            return [None, self.room(count), MPI.SUM, root]
        if name.startswith("Gather"):
            room = self.vector(counts[:others], self.room) if name == "Gatherv" else self.room(count * others)
            return [None, room, root]
        sent = self.vector(counts[:others], self.numbers) if name == "Scatterv" else self.numbers(count * others)
        return [sent, None, root]

    def neighbours(self, comm: MPI.Comm, name: str, count: int) -> list[Any]:
        me, size = comm.rank, comm.size
        if comm is self.ring:
            sources = targets = [(me - 1) % size, (me + 1) % size]
        else:
            sources, targets = comm.Get_dist_neighbors()[:2]
        if name == "allgather":
            return [self.numbers(count), self.room(count * len(sources))]
        if name == "allgatherv":
            counts = self.matrix[0]
            return [self.numbers(counts[me]), self.vector([counts[i] for i in sources], self.room)]
        if name == "alltoall":
            return [self.numbers(count * len(targets)), self.room(count * len(sources))]
        make = self.vector if name == "alltoallv" else self.typed
        into, out = [self.matrix[i][me] for i in sources], [self.matrix[me][i] for i in targets]
        return [make(out, self.numbers), make(into, self.room)]


def calls(seed: int, rounds: int) -> list[bytes]:
    """Call each function in each form and place, in random order, and return what the rank has received."""
    caller = Caller(seed)
    every = [(MPI.COMM_WORLD, name, form) for name in INTRA for form in FORMS]
    every += [(caller.half, name, form) for name in INTRA for form in FORMS]
    every += [(caller.between, name, form) for name in INTER for form in FORMS]
    for comm in (caller.ring, caller.graph):
        every += [(comm, f"neighbor_{name}", form) for name in NEIGHBOURHOOD for form in FORMS]
    for _ in range(rounds):
        caller.random.shuffle(every)
        for comm, name, form in every:
            caller.call(comm, name, form)
    caller.free()
    return caller.received
