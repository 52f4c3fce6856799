"""MPI calls for an application's messages: nonblocking collectives, and messages to neighbours or to a random rank."""

import random
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.flow import Demand
from pysmpi.aspen.grid import neighbours
from pysmpi.aspen.messages import COLLECTIVES, DIMENSIONS, PATTERNS
from pysmpi.aspen.syntax_tree import Need
from pysmpi.formulas.expressions.evaluation import evaluate
from pysmpi.simulation.collectives.schedule import Schedule

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Exchange", "group_shape", "pattern_of"]

_BY_LOWER = {each.lower(): each for each in (*COLLECTIVES, *PATTERNS)}
_THIN = 4  # a grid is thin if its longest side is more than this many times the shortest one
_NEED_GROUPS = 2  # largest number of arguments of within(size, stride)


class Exchange:
    """Messages that one rank sends and receives for one statement, such as ``requires messages [n] as allReduce``.

    Args:
        comm: communicator of all ranks, or of a group of ranks if the statement has the trait "within".
        kind: collective such as "allReduce", or pattern of point-to-point messages such as "nn2d".
        size: bytes that each rank sends, or bytes of an element if `side` is given.
        modifiers: further traits that change a pattern of neighbours, such as "periodic", in lower case.
        side: number of elements along a side of a rank's part of the grid, or None if neighbours get equal messages.
        seed: seed of the pattern `random`.

    Attributes:
        schedule: object that exchanges all messages without Python, or None for a collective.
        thin_grid: text that describes the grid of ranks if it is far longer than wide, else empty.
    """

    def __init__(
        self,
        comm: "MPI.Intracomm",
        kind: str,
        size: float,
        modifiers: Sequence[str] = (),
        *,
        side: float | None = None,
        seed: int = 1,
    ) -> None:
        self._comm, self._kind, self._bytes = comm, kind, round(size)
        self._sent: list[tuple[int, int]] = []  # rank and bytes of each message
        self._received: list[tuple[int, int]] = []
        self.thin_grid = ""
        if kind in DIMENSIONS:
            self._neighbours(size, modifiers, side)
        elif kind == "random":
            self._drawn(seed)
        self._buffers = self._new_buffers()
        self.schedule = self._new_schedule() if kind in PATTERNS else None

    def _new_schedule(self) -> Schedule:
        """Return a schedule that starts the same messages as `start` and waits for them."""
        sent, received = self._buffers
        schedule = Schedule(self._comm)
        for rank, size in self._received:
            schedule.receive(received, source=rank, amount=size)
        for rank, size in self._sent:
            schedule.send(sent, dest=rank, amount=size)
        schedule.wait()
        return schedule

    def start(self) -> "list[MPI.Request]":
        """Start all messages and return their requests."""
        from mpi4py import MPI

        comm, byte, (sent, received) = self._comm, MPI.BYTE, self._buffers
        if self._kind in PATTERNS:
            requests = [comm.Irecv([received, size, byte], rank) for rank, size in self._received]
            return requests + [comm.Isend([sent, size, byte], rank) for rank, size in self._sent]
        block = self._bytes // comm.size
        op, whole = MPI.BOR, [sent, self._bytes, byte]
        match self._kind:
            case "allToAll":
                request = comm.Ialltoall([sent, block, byte], [received, block, byte])
            case "allReduce":
                request = comm.Iallreduce(whole, [received, self._bytes, byte], op)
            case "broadcast":
                request = comm.Ibcast(whole, 0)
            case "reduce":
                request = comm.Ireduce(whole, [received, self._bytes, byte], op, 0)
            case "gather":
                request = comm.Igather(whole, [received, self._bytes, byte], 0)
            case "scatter":
                request = comm.Iscatter([sent, block, byte], [received, block, byte], 0)
            case "allGather":
                request = comm.Iallgather(whole, [received, self._bytes, byte])
            case "reduceScatter":
                request = comm.Ireduce_scatter_block([sent, block, byte], [received, block, byte], op)
            case "scan":
                request = comm.Iscan(whole, [received, self._bytes, byte], op)
            case _:
                request = comm.Ibarrier()
        return [request]

    def _neighbours(self, size: float, modifiers: Sequence[str], side: float | None) -> None:
        from mpi4py import MPI

        sides = MPI.Compute_dims(self._comm.size, DIMENSIONS[self._kind])
        if max(sides) > _THIN * min(sides):
            self.thin_grid = f"{self._kind} of {self._comm.size} ranks is a grid of {' × '.join(map(str, sides))}"
        if side is None:
            size = self._bytes // _messages_in_the_middle(len(sides), modifiers)
            modifiers = [each for each in modifiers if each != "nodal"]
        sent, received = neighbours(self._comm.rank, sides, 1.0 if side is None else side, modifiers)
        self._sent = [(each.rank, round(each.elements * size)) for each in sent]
        self._received = [(each.rank, round(each.elements * size)) for each in received]

    def _drawn(self, seed: int) -> None:
        drawn = random.Random(seed)
        targets = [drawn.randrange(self._comm.size) for _ in range(self._comm.size)]
        self._sent = [(targets[self._comm.rank], self._bytes)]
        self._received = [(rank, self._bytes) for rank, to in enumerate(targets) if to == self._comm.rank]

    def _new_buffers(self) -> tuple[Any, Any]:
        from pysmpi.simulation.compute import folded_empty

        if self._kind in PATTERNS:
            largest = max([size for _, size in [*self._sent, *self._received]], default=0)
            return folded_empty(max(1, largest), "u1"), folded_empty(max(1, largest), "u1")
        gathers = self._kind == "allGather" or (self._kind == "gather" and self._comm.rank == 0)
        received = self._bytes * (self._comm.size if gathers else 1)
        return folded_empty(max(1, self._bytes), "u1"), folded_empty(max(1, received), "u1")


def _messages_in_the_middle(dimensions: int, names: Iterable[str]) -> int:
    """Return the number of messages sent by a rank that is not at the edge of the grid, so that it has all neighbours.

    Args:
        dimensions: number of dimensions of the grid.
        names: traits of the messages, such as "face", which limits the neighbours.
    """
    words = {each.lower() for each in names}
    count = 2 * dimensions if "face" in words else 3**dimensions - 1
    return count // (2 if words & {"pwave", "nwave"} else 1)


def pattern_of(demand: Demand | Need) -> str:
    """Return the collective or pattern that a statement with messages names, such as "allReduce" or "nn2d".

    Args:
        demand: amount of messages, with its traits.

    Raises:
        AspenError: no trait is a collective or a pattern.
    """
    for trait in demand.traits:
        if trait.name.lower() in _BY_LOWER:
            return _BY_LOWER[trait.name.lower()]
    raise error_at(
        demand.place,
        f"{demand.resource} without a pattern can be costed, but not simulated; "
        f"add 'as' and one of {', '.join([*COLLECTIVES, *PATTERNS])}",
    )


def group_shape(demand: Demand, ranks: int) -> tuple[int, int] | None:
    """Return size and stride of the groups in which ranks send messages, or None if all ranks are one group.

    The trait ``within(size, stride)`` forms the groups. Example: ``within(2, 4)`` divides 8 ranks into the groups 0 and
    4, 1 and 5, 2 and 6, 3 and 7.

    Args:
        demand: amount of messages, with its traits.
        ranks: number of ranks.

    Raises:
        AspenError: the ranks do not form whole groups.
    """
    trait = next((each for each in demand.traits if each.name.lower() == "within"), None)
    if trait is None:
        return None
    if not 1 <= len(trait.arguments) <= _NEED_GROUPS:
        raise error_at(
            trait.place, f"within has {len(trait.arguments)} arguments; write within(size) or within(size, stride)"
        )
    values = [evaluate(each, demand.scope) for each in trait.arguments]
    size, stride = round(values[0]), round(values[1]) if len(values) > 1 else 1
    if size < 1 or stride < 1:
        raise error_at(trait.place, f"within({size}, {stride}) has a number that is not positive")
    whole = size * stride
    if ranks % whole:
        below = ranks // whole
        near = [f"{(below + 1) * whole} = {below + 1} × {whole}"]
        near += [f"{below * whole} = {below} × {whole}"] if below else []
        given = f"within({size})" if len(values) == 1 else f"within({size}, {stride})"
        raise error_at(
            trait.place, f"{given} needs whole groups, which {ranks} ranks do not form; use {' or '.join(near)}"
        )
    return size, stride
