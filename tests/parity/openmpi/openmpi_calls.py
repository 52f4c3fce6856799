"""Collective calls with mpi4py as `openmpi_cases` describes them, under a real library and under pysmpi."""

import itertools
import random
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from mpi4py import MPI
from openmpi_cases import NEIGHBOURS, REDUCTIONS, ROOTED, SIZES, VECTORS, Case


def _blocks(case: Case, i: int, j: int = 0) -> int:
    """Return the elements of block i of a vector call, or of the block from rank i to rank j of an exchange."""
    if case.shape == "ramp":
        return case.count * ((i + j) % 3)
    if case.shape == "lone":
        return case.count if i == case.ranks // 2 else 0
    return case.count


def _elements(kind: str) -> tuple[Any, int]:
    """Return the datatype and its extent in bytes."""
    predefined = {"byte": MPI.UNSIGNED_CHAR, "int": MPI.INT, "double": MPI.DOUBLE, "complex": MPI.C_DOUBLE_COMPLEX}
    if kind in predefined:
        return predefined[kind], SIZES[kind]
    gaps = MPI.INT.Create_vector(2, 1, 2).Create_resized(0, 16).Commit()
    return gaps, 16


def topology(case: Case, world: Any) -> Any:
    """Return a communicator with the neighbours of the case."""
    ranks, rank = world.size, world.rank
    if case.shape in ("ring", "line"):
        return world.Create_cart([ranks], [case.shape == "ring"])
    if case.shape == "grid":
        rows = next(rows for rows in range(int(ranks**0.5), 0, -1) if ranks % rows == 0)
        return world.Create_cart([rows, ranks // rows], [True, False])
    if case.shape == "graph":  # one neighbour is the rank itself on 2 ranks, some are neighbours twice
        steps = [1, 3, 1] if ranks > 2 else [1, 0]
        sources, destinations = ([(rank + sign * step) % ranks for step in steps] for sign in (-1, 1))
    else:
        sources = destinations = [0] if rank else list(range(1, ranks))
    # The component coll/monitoring, which pml/monitoring brings along, does not serve communicators with graphs.
    info = MPI.Info.Create({"ompi_comm_coll_preference": "^monitoring"})
    comm = world.Create_dist_graph_adjacent(sources, destinations, info=info)
    info.Free()
    return comm


def _degrees(comm: Any) -> tuple[int, int]:
    if comm.topology == MPI.CART:
        return 2 * comm.dim, 2 * comm.dim
    incoming, outgoing, _ = comm.Get_dist_neighbors_count()
    return incoming, outgoing


def _vector(buffer: Any, counts: list[int], datatype: Any) -> list[Any]:
    return [buffer, counts, [0, *itertools.accumulate(counts)][: len(counts)], datatype]


def _typed(buffer: Any, counts: list[int], datatype: Any, extent: int) -> list[Any]:
    begins = [extent * begin for begin in itertools.accumulate([0, *counts])][: len(counts)]
    return [buffer, counts, begins, [datatype] * len(counts)]


def _space(count: int, extent: int) -> Any:
    return np.zeros(count * extent, "u1")


def _neighbour_arguments(case: Case, comm: Any, datatype: Any, extent: int) -> tuple[Any, ...]:
    incoming, outgoing = _degrees(comm)
    count = case.count
    if case.call == "Neighbor_allgather":
        return [_space(count, extent), count, datatype], [_space(count * incoming, extent), count, datatype]
    if case.call == "Neighbor_allgatherv":
        return [_space(count, extent), count, datatype], _vector(
            _space(count * incoming, extent), [count] * incoming, datatype
        )
    sent, received = _space(count * outgoing, extent), _space(count * incoming, extent)
    if case.call == "Neighbor_alltoall":
        return [sent, count, datatype], [received, count, datatype]
    if case.call == "Neighbor_alltoallv":
        return _vector(sent, [count] * outgoing, datatype), _vector(received, [count] * incoming, datatype)
    return _typed(sent, [count] * outgoing, datatype, extent), _typed(received, [count] * incoming, datatype, extent)


def _move_arguments(case: Case, rank: int, datatype: Any, extent: int) -> tuple[Any, ...]:
    """Return the arguments of a call that moves data, without the root."""
    ranks, count, at_root = case.ranks, case.count, rank == case.root
    counts = [_blocks(case, i) for i in range(ranks)] if case.call in VECTORS else [count] * ranks
    own = [_space(counts[rank], extent), counts[rank], datatype]
    whole = _space(sum(counts), extent)
    match case.call:
        case "Barrier":
            return ()
        case "Bcast":
            return (own,)
        case "Gather":
            everything = [whole, count, datatype] if at_root else None
            return MPI.IN_PLACE if case.in_place and at_root else own, everything
        case "Gatherv":
            everything = _vector(whole, counts, datatype) if at_root else None
            return MPI.IN_PLACE if case.in_place and at_root else own, everything
        case "Scatter":
            return [whole, count, datatype] if at_root else None, MPI.IN_PLACE if case.in_place and at_root else own
        case "Scatterv":
            everything = _vector(whole, counts, datatype) if at_root else None
            return everything, MPI.IN_PLACE if case.in_place and at_root else own
        case "Allgather":
            return MPI.IN_PLACE if case.in_place else own, [whole, count, datatype]
        case "Allgatherv":
            return MPI.IN_PLACE if case.in_place else own, _vector(whole, counts, datatype)
        case "Alltoall":
            sent = MPI.IN_PLACE if case.in_place else [_space(count * ranks, extent), count, datatype]
            return sent, [whole, count, datatype]
    to, come = [_blocks(case, rank, j) for j in range(ranks)], [_blocks(case, j, rank) for j in range(ranks)]
    if case.in_place and case.shape == "lone":  # in place, both directions must have the same count
        to = come = [count if ranks // 2 in (rank, j) else 0 for j in range(ranks)]
    sent, received = _space(sum(to), extent), _space(sum(come), extent)
    if case.call == "Alltoallv":
        return MPI.IN_PLACE if case.in_place else _vector(sent, to, datatype), _vector(received, come, datatype)
    return (
        MPI.IN_PLACE if case.in_place else _typed(sent, to, datatype, extent),
        _typed(received, come, datatype, extent),
    )


def _reduction_arguments(case: Case, rank: int, datatype: Any, sent: Any, received: Any, op: Any) -> tuple[Any, ...]:
    """Return the arguments of a reduction. Buffers have the elements of all blocks, as far as they are needed."""
    ranks, count, at_root = case.ranks, case.count, rank == case.root
    counts = [_blocks(case, i) for i in range(ranks)]
    total = sum(counts) if case.call == "Reduce_scatter" else count
    mine = counts[rank] if case.call == "Reduce_scatter" else count
    out, into = [sent, total, datatype], [received, mine, datatype]
    if case.in_place and (at_root or case.call != "Reduce"):
        out, into = MPI.IN_PLACE, [received, total if case.call == "Reduce_scatter" else mine, datatype]
    if case.call == "Reduce":
        return out, into if at_root else None, op, case.root
    if case.call == "Reduce_scatter":
        return out, into, counts, op
    return out, into, op


def reduced_elements(case: Case) -> int:
    """Return the length of the vector that each rank contributes."""
    if case.call == "Reduce_scatter":
        return sum(_blocks(case, i) for i in range(case.ranks))
    return case.count * (case.ranks if case.call == "Reduce_scatter_block" else 1)


def _received_elements(case: Case, rank: int) -> int:
    """Return the length of the vector that a rank gets."""
    return _blocks(case, rank) if case.call == "Reduce_scatter" else case.count


def _keep_second(_one: Any, _two: Any, _datatype: Any) -> None:
    """Reduce without computation: only messages matter."""


class Prepared:
    """A call whose messages matter, with its communicator and its buffers."""

    def __init__(self, case: Case, world: Any) -> None:
        self.case = case
        self.comm = topology(case, world) if case.call in NEIGHBOURS else world
        datatype, extent = _elements(case.type)
        self._handles = [datatype] if case.type == "gaps" else []
        if case.call in NEIGHBOURS:
            self._handles.append(self.comm)
            self._arguments = _neighbour_arguments(case, self.comm, datatype, extent)
        elif case.call in REDUCTIONS:
            op = MPI.SUM
            if not case.commutes:
                op = MPI.Op.Create(_keep_second, commute=False)
                self._handles.append(op)
            sent, received = (_space(reduced_elements(case), extent) for _ in range(2))
            self._arguments = _reduction_arguments(case, world.rank, datatype, sent, received, op)
        else:
            self._arguments = _move_arguments(case, world.rank, datatype, extent)
            if case.call in ROOTED:
                self._arguments = (*self._arguments, case.root)

    def start_and_wait(self, uses: int = 2) -> None:
        start_and_wait(self.case, self.comm, self._arguments, uses)

    def start(self) -> Any:
        """Start a nonblocking call, or a persistent one for the first time; return its request."""
        if self.case.mode == "nonblocking":
            return getattr(self.comm, "I" + self.case.call.lower())(*self._arguments)
        request = getattr(self.comm, self.case.call + "_init")(*self._arguments)
        request.Start()
        return request

    def free(self) -> None:
        for handle in self._handles:
            handle.Free()


def start_and_wait(case: Case, comm: Any, arguments: tuple[Any, ...], uses: int = 2) -> None:
    """Carry out the call; a persistent one is used `uses` times."""
    if case.mode == "blocking":
        getattr(comm, case.call)(*arguments)
    elif case.mode == "nonblocking":
        getattr(comm, "I" + case.call.lower())(*arguments).Wait()
    else:
        request = getattr(comm, case.call + "_init")(*arguments)
        for _ in range(uses):
            request.Start()
            request.Wait()
        request.Free()


class Trees:
    """A reduction of 8-byte elements whose result identifies the tree of operands, and the trees seen so far."""

    def __init__(self) -> None:
        self.pairs: dict[int, tuple[int, int]] = {}

    @staticmethod
    def leaf(rank: int) -> int:
        return rank + 1

    def combine(self, left: Any, right: Any, _datatype: Any) -> None:
        """Replace `right` by a number for the pair (left, right), different for other pairs and other order."""
        one, two = np.frombuffer(left, "u8"), np.frombuffer(right, "u8")
        with np.errstate(over="ignore"):
            mixed = (one ^ (one >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) + (
                two ^ (two >> np.uint64(31))
            ) * np.uint64(0xC2B2AE3D27D4EB4F)
            mixed ^= mixed >> np.uint64(32)
        _, places = np.unique(mixed, return_index=True)
        for at in places.tolist():
            self.pairs[int(mixed[at])] = (int(one[at]), int(two[at]))
        two[:] = mixed

    def text(self, number: int, pairs: dict[int, tuple[int, int]]) -> str:
        """Return the tree of a number, such as ((0 1) 2)."""
        if number in pairs:
            left, right = pairs[number]
            return f"({self.text(left, pairs)} {self.text(right, pairs)})"
        return str(number - 1) if number <= 1000 else "?"


def runs(values: Any) -> Iterator[tuple[int, int]]:
    """Yield each value with the number of its repetitions."""
    for value, group in itertools.groupby(values.tolist()):
        yield value, len(list(group))


def trees_of(case: Case, comm: Any) -> dict[str, list[int]] | None:
    """Carry out a reduction; return for each result the ranks that have it, at rank 0.

    A result is a text such as "2*(0 1) (1 0)": two elements with one tree, then one with the other.
    """
    trees = Trees()
    op = MPI.Op.Create(trees.combine, commute=case.commutes)
    elements = reduced_elements(case)
    sent, received = np.full(elements, Trees.leaf(comm.rank), "u8"), np.full(elements, Trees.leaf(comm.rank), "u8")
    arguments = _reduction_arguments(case, comm.rank, MPI.UINT64_T, sent, received, op)
    start_and_wait(case, comm, arguments, uses=1)
    mine = _received_elements(case, comm.rank)
    has_none = comm.rank != case.root if case.call == "Reduce" else case.call == "Exscan" and comm.rank == 0
    gathered = comm.gather(([] if has_none else list(runs(received[:mine])), trees.pairs))
    op.Free()
    if gathered is None:
        return None
    pairs = {number: pair for _, part in gathered for number, pair in part.items()}
    results: dict[str, list[int]] = {}
    for rank, (result, _) in enumerate(gathered):
        text = " ".join(f"{times}*{trees.text(number, pairs)}" for number, times in result)
        if text:
            results.setdefault(text, []).append(rank)
    return results


def bits_of(case: Case, comm: Any) -> list[int] | None:
    """Carry out a reduction whose bits depend on the side and the place of each operand; return checksums at rank 0.

    The first half of the list is of each rank's minima of numbers among which are NaN and zeros of both signs, the
    second half of its sums of bytes that overflow.
    """
    elements = reduced_elements(case)
    name = str(case).replace(", layout=''", "")  # the cases were recorded before layouts were
    draw = random.Random(f"{name} {comm.rank}")
    drawn = np.frombuffer(draw.randbytes(elements), "u1")
    numbers = np.array([0.0, -0.0, np.nan, 1.0, 2.0])[drawn % 5]
    small = np.array([0, 1, 100, 200], "u1")[drawn % 4]
    checksums = []
    for sent, datatype, op in ((numbers, MPI.DOUBLE, MPI.MIN), (small, MPI.UNSIGNED_CHAR, MPI.SUM)):
        received = sent.copy()
        arguments = _reduction_arguments(case, comm.rank, datatype, sent, received, op)
        start_and_wait(case, comm, arguments, uses=1)
        has_none = comm.rank != case.root if case.call == "Reduce" else case.call == "Exscan" and comm.rank == 0
        checksums.append(0 if has_none else zlib.crc32(received[: _received_elements(case, comm.rank)].tobytes()))
    rows = comm.gather(checksums)
    return None if rows is None else [row[place] for place in range(2) for row in rows]
