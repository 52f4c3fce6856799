"""Steps with collectives, topologies and other communicators."""

import itertools
from typing import Any

import numpy as np
from mpi4py import MPI
from state import Array, State

__all__ = ["STEPS"]


def _operation(s: State) -> tuple[MPI.Op, bool]:
    """Return an operation on whole numbers, and whether the program has made it."""
    kind = s.draw.of(("SUM", "MAX", "MIN", "BXOR", "PROD", "affine", "affine", "commutative"))
    if kind == "affine":  # composes x -> a x + b modulo 9973; not commutative

        def compose(a: Any, b: Any, _: MPI.Datatype) -> None:
            first, second = np.frombuffer(a, "i8").reshape(-1, 2), np.frombuffer(b, "i8").reshape(-1, 2)
            second[:, 1] = (first[:, 0] * second[:, 1] + first[:, 1]) % 9973
            second[:, 0] = first[:, 0] * second[:, 0] % 9973

        return MPI.Op.Create(compose, commute=False), True
    if kind == "commutative":

        def add(a: Any, b: Any, _: MPI.Datatype) -> None:
            into = np.frombuffer(b, "i8")
            into[:] = (np.frombuffer(a, "i8") + into) % 10007

        return MPI.Op.Create(add, commute=True), True
    return getattr(MPI, kind), False


def reductions(s: State) -> None:
    operation, made = _operation(s)
    pair = MPI.LONG.Create_contiguous(2).Commit() if made else MPI.LONG
    unit = 2 if made else 1
    count, root = s.draw.of((0, 1, 3, 100, 9000)), s.draw.below(s.size)
    name = s.draw.of(("Reduce", "Allreduce", "Scan", "Exscan", "Reduce_scatter", "Reduce_scatter_block"))
    nonblocking, in_place = s.draw.chance(0.5), s.draw.chance(0.3)
    blocks = [s.draw.of((0, 1, 4, 200)) for _ in range(s.size)]
    total = sum(blocks) if name == "Reduce_scatter" else count * s.size if name.startswith("Reduce_s") else count
    sent, received = s.data(total * unit), np.full(total * unit, -1, "i8")
    left: Any = [sent, total, pair]
    right: Any = [received, total, pair]
    if name == "Exscan" and s.rank == 0:
        received[:] = 0
    if name == "Reduce_scatter":
        right = [received, blocks[s.rank], pair]
    elif name == "Reduce_scatter_block":
        left, right = [sent, count, pair], [received, count, pair]
    elif (in_place and name in ("Allreduce", "Scan", "Exscan")) or (in_place and name == "Reduce" and s.rank == root):
        received[:] = sent
        left = MPI.IN_PLACE
    arguments: list[Any] = [left, right if name != "Reduce" or s.rank == root else None]
    if name == "Reduce_scatter":
        arguments.append(blocks)
    arguments.append(operation)
    if name == "Reduce":
        arguments.append(root)
    if nonblocking:
        getattr(s.comm, "I" + name.lower())(*arguments).Wait()
    else:
        getattr(s.comm, name)(*arguments)
    if not (name == "Exscan" and s.rank == 0):  # undefined there
        s.take(received)
    if made:
        operation.Free()
        pair.Free()


def _plain(s: State, name: str, form: str) -> tuple[Any, Array]:
    """Call a collective without operation, in a form such as "I{}" or "{}_init"; return its result and its buffer."""
    count, root = s.draw.count() // s.size, s.draw.below(s.size)
    one, everything = s.data(count), s.data(count * s.size)
    result, results = np.zeros(count, "i8"), np.zeros(count * s.size, "i8")
    at_root = s.rank == root
    in_place = s.draw.chance(0.3)
    arguments: tuple[Any, ...] = ()
    if name == "Barrier":
        received = result
    elif name == "Bcast":
        received = s.data(count) if at_root else result
        arguments = (received, root)
    elif name == "Gather":
        received = results
        left: Any = one
        if in_place and at_root:
            results[root * count : (root + 1) * count] = one
            left = MPI.IN_PLACE
        arguments = (left, results if at_root else None, root)
    elif name == "Scatter":
        received = result
        right: Any = MPI.IN_PLACE if in_place and at_root else result
        arguments = (everything if at_root else None, right, root)
    elif name == "Allgather":
        received = results
        results[s.rank * count : (s.rank + 1) * count] = one
        arguments = (MPI.IN_PLACE if in_place else one, results)
    else:
        received = results
        results[:] = everything
        arguments = (MPI.IN_PLACE if in_place else everything, results)
    text = form.format(name.lower() if form.startswith("I") else name)
    return getattr(s.comm, text)(*arguments), received


PLAIN = ("Barrier", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall")


def plain(s: State) -> None:
    s.take(_plain(s, s.draw.of(PLAIN), "{}")[1])


def in_flight(s: State) -> None:
    begun = [_plain(s, s.draw.of(PLAIN), "I{}") for _ in range(s.draw.between(1, 4))]
    to, source, received = (s.rank + 1) % s.size, (s.rank - 1) % s.size, np.zeros(5, "i8")
    sent = s.data(5)
    others = [s.comm.Irecv(received, source, 8), s.comm.Isend(sent, to, 8)]
    requests = s.draw.shuffled([request for request, _ in begun] + others)
    if s.draw.chance(0.5):
        MPI.Request.Waitall(requests)
    else:
        for request in requests:
            request.Wait()
    s.take(received, *(each for _, each in begun))


def persistent_collectives(s: State) -> None:
    made = [_plain(s, s.draw.of(PLAIN), "{}_init") for _ in range(s.draw.between(1, 2))]
    for _ in range(s.draw.between(1, 3)):
        for request, _buffer in made:
            request.Start()
        MPI.Request.Waitall([request for request, _ in made])
        s.take(*(buffer for _, buffer in made))
    for request, _buffer in made:
        request.Free()


def vectors(s: State) -> None:
    name = s.draw.of(("gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw"))
    nonblocking, root = s.draw.chance(0.5), s.draw.below(s.size)
    pair = MPI.INT32_T.Create_contiguous(2).Commit()
    table = [s.counts() for _ in range(s.size)]
    counts = table[0]
    gap = s.draw.below(3)
    starts = [0, *itertools.accumulate(count + gap for count in counts[:-1])]
    length = sum(counts) + gap * s.size
    one, everything, results = s.data(counts[s.rank]), s.data(length), np.zeros(length, "i8")
    at_root = s.rank == root
    received = results
    arguments: tuple[Any, ...]
    if name == "gatherv":
        arguments = (one, [results, counts, starts, MPI.LONG] if at_root else None, root)
    elif name == "scatterv":
        received = np.zeros(counts[s.rank], "i8")
        arguments = ([everything, counts, starts, MPI.LONG] if at_root else None, received, root)
    elif name == "allgatherv":
        arguments = (one, [results, counts, starts, MPI.LONG])
    else:
        mine, theirs = table[s.rank], [row[s.rank] for row in table]
        from_, into = ([0, *itertools.accumulate(each[:-1])] for each in (mine, theirs))
        everything, received = s.data(sum(mine)), np.zeros(sum(theirs), "i8")
        if name == "alltoallv":
            arguments = ([everything, mine, from_, MPI.LONG], [received, theirs, into, MPI.LONG])
        else:
            types = [pair if (s.rank + i) % 2 else MPI.LONG for i in range(s.size)]
            sides = ((everything, mine, from_), (received, theirs, into))
            arguments = tuple([each, [n, [8 * start for start in at]], types] for each, n, at in sides)
    if nonblocking:
        getattr(s.comm, "I" + name)(*arguments).Wait()
    else:
        getattr(s.comm, name.capitalize())(*arguments)
    pair.Free()
    s.take(received)


def _topology(s: State) -> Any:
    kind = s.draw.of(("cart", "torus", "graph", "dist"))
    if kind in ("cart", "torus"):
        dimensions = MPI.Compute_dims(s.size, s.draw.between(1, 2))
        return s.comm.Create_cart(dimensions, [kind == "torus"] * len(dimensions), False)
    edges = sorted({(a, b) for a in range(s.size) for b in range(s.size) if a < b and s.draw.chance(0.4)})
    near = [sorted({b for a, b in edges if a == r} | {a for a, b in edges if b == r}) for r in range(s.size)]
    if kind == "graph":
        return s.comm.Create_graph([0, *itertools.accumulate(map(len, near))], list(itertools.chain(*near)), False)
    shift = s.draw.between(1, s.size - 1)
    to, source = near[s.rank] + [(s.rank + shift) % s.size], near[s.rank] + [(s.rank - shift) % s.size]
    return s.comm.Create_dist_graph_adjacent(source, to, reorder=False)


def _degrees(near: Any) -> tuple[int, int]:
    if near.Get_topology() == MPI.DIST_GRAPH:
        return tuple(near.Get_dist_neighbors_count()[:2])
    if near.Get_topology() == MPI.CART:
        return 2 * near.Get_dim(), 2 * near.Get_dim()
    degree = near.Get_neighbors_count(near.rank)
    return degree, degree


def neighbourhood(s: State) -> None:
    near = _topology(s)
    sources, targets = _degrees(near)
    count = s.draw.of((0, 1, 50, 3000))
    name = s.draw.of(("allgather", "alltoall", "allgatherv", "alltoallv", "alltoallw"))
    sent = s.data(count if name.startswith("allgather") else count * targets)
    received = np.full(count * sources, -1, "i8")
    out, into = ([count] * each for each in (targets, sources))
    places = [[count * i for i in range(each)] for each in (targets, sources)]
    left: Any = sent
    right: Any = received
    if name.endswith("v"):
        right = [received, into, places[1], MPI.LONG]
        left = sent if name == "allgatherv" else [sent, out, places[0], MPI.LONG]
    elif name.endswith("w"):
        left = [sent, out, [8 * at for at in places[0]], [MPI.LONG] * targets]
        right = [received, into, [8 * at for at in places[1]], [MPI.LONG] * sources]
    form = s.draw.of(("Neighbor_{}", "Ineighbor_{}", "Neighbor_{}_init"))
    begun = getattr(near, form.format(name))(left, right)
    if form == "Ineighbor_{}":
        begun.Wait()
    elif form.endswith("init"):
        begun.Start()
        begun.Wait()
        begun.Free()
    s.take(received)
    near.Free()


def communicators(s: State) -> None:
    """Make communicators from communicators, and reduce in each of them."""
    made = []
    comm: Any = s.comm
    for _ in range(s.draw.between(1, 3)):
        way = s.draw.of(("split", "dup", "create", "group", "idup"))
        if way == "split":
            colours = [s.draw.below(2) for _ in range(s.size)]
            comm = comm.Split(colours[s.rank], s.draw.of((-1, 1)) * s.rank)
        elif way == "dup":
            comm = comm.Dup()
        elif way == "idup":
            comm, request = comm.Idup()
            request.Wait()
        else:
            everybody = list(range(comm.size))
            whole = comm.Get_group()
            group = whole.Incl(everybody[::-1])
            comm = comm.Create(group) if way == "create" else comm.Create_group(group, 3)
            group.Free()
            whole.Free()
        made.append(comm)
        s.take(comm.allgather(s.rank), comm.rank)
    for comm in reversed(made):
        comm.Free()


def between_groups(s: State) -> None:
    """Collectives and messages of an intercommunicator."""
    first = s.draw.between(1, s.size - 1)
    low = s.rank < first
    local: Any = s.comm.Split(0 if low else 1, s.rank)
    inter = local.Create_intercomm(0, s.comm, first if low else 0, 9)
    count, chosen = s.draw.of((1, 4, 3000)), s.draw.below(first)
    one, other = s.data(count), np.zeros(count, "i8")
    many = np.zeros(count * inter.remote_size, "i8")
    ways = [s.draw.of(("allreduce", "bcast", "gather", "allgather", "alltoall", "barrier", "reduce", "peer",
                       "iallreduce", "ibcast")) for _ in range(2)]  # fmt: skip
    if ways == ["ibcast", "iallreduce"]:
        ways[1] = "allreduce"  # MPICH 5.0.2 does not end an Iallreduce after an Ibcast
    for way in ways:
        other[:] = 0
        many[:] = 0
        root = 0 if way == "ibcast" else chosen  # MPICH 5.0.2 delivers nothing from other roots
        at = (MPI.ROOT if s.rank == root else MPI.PROC_NULL) if low else root
        if way in ("allreduce", "iallreduce"):
            begun = inter.Iallreduce(one, other) if way[0] == "i" else inter.Allreduce(one, other)
        elif way in ("bcast", "ibcast"):
            other[:] = one if low else 0
            begun = inter.Ibcast(other, at) if way[0] == "i" else inter.Bcast(other, at)
        elif way == "gather":
            begun = inter.Gather(None if low else one, many if at == MPI.ROOT else None, at)
        elif way == "reduce":
            begun = inter.Reduce(None if low else one, other if at == MPI.ROOT else None, MPI.SUM, at)
        elif way == "allgather":
            begun = inter.Allgather(one, many)
        elif way == "alltoall":
            begun = inter.Alltoall(s.data(count * inter.remote_size), many)
        elif way == "barrier":
            begun = inter.Barrier()
        elif local.rank < inter.remote_size and inter.rank < min(first, s.size - first):
            begun = inter.Sendrecv(one, inter.rank, 1, other, inter.rank, 1)
        else:
            begun = None
        if way[0] == "i":
            begun.Wait()
        s.take(other, many)
    merged = inter.Merge(high=not low)
    s.take(merged.rank, merged.allreduce(s.rank))
    for comm in (merged, inter, local):
        comm.Free()


STEPS = (reductions, reductions, plain, in_flight, in_flight, persistent_collectives, vectors, vectors, neighbourhood,
         neighbourhood, communicators, between_groups)  # fmt: skip
