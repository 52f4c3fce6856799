"""Calls of collectives with data, and checks of their results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import plain_collectives
from elements import BYTE, DOUBLE, MATRIX, PAIR, TWO_WITH_GAPS, VALUE_AND_INDEX, Element, Layout
from plain_collectives import Blocks, Received


@dataclass(frozen=True)
class Combination:
    """Reduction of two elements."""

    name: str
    element: Element
    of: Callable[[Any, Any], Any]  # function of arrays with a row per element
    commutes: bool | None = None  # None for an MPI operation of that name

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # used by hypothesis
        printer.text(self.name)

    def operation(self, MPI: Any) -> Any:
        """Return the MPI operation; free it unless it is predefined."""
        if self.commutes is None:
            return getattr(MPI, self.name)

        def combine(left: Any, right: Any, _datatype: Any) -> None:
            a, b = self.element.in_memory(left), self.element.in_memory(right)
            places = list(self.element.places)
            b[:, places] = self.of(a[:, places], b[:, places])

        return MPI.Op.Create(combine, commute=self.commutes)


def _sum_modulo(a: Any, b: Any) -> Any:
    return (a + b) % 97


def _product_modulo(a: Any, b: Any) -> Any:
    return (a.reshape(-1, 2, 2) @ b.reshape(-1, 2, 2) % 97).reshape(-1, 4)


def _maximum_with_location(a: Any, b: Any) -> Any:
    first = (a["value"] > b["value"]) | ((a["value"] == b["value"]) & (a["index"] < b["index"]))
    return np.where(first, a, b)


COMBINATIONS = (
    Combination("SUM", DOUBLE, np.add),
    Combination("BXOR", BYTE, np.bitwise_xor),
    Combination("MAXLOC", VALUE_AND_INDEX, _maximum_with_location),
    Combination("own sum", TWO_WITH_GAPS, _sum_modulo, commutes=True),
    Combination("own product of matrices", MATRIX, _product_modulo, commutes=False),
)

REDUCTIONS = ("reduce", "allreduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block")
ROOTED = ("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv")
BY_COUNTS = ("reduce_scatter", "gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw")
GIVING_TO_EACH = ("reduce_scatter", "reduce_scatter_block", "alltoall", "alltoallv", "alltoallw")
OPERATIONS = ("barrier", "bcast", *REDUCTIONS, "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv",
              "alltoall", "alltoallv", "alltoallw")  # fmt: skip

# Arguments that describe the blocks to send and receive, for calls that do not give the count of one block.
SPOKEN_OF = {
    "gatherv": ("one", "counts"),
    "scatterv": ("counts", "one"),
    "allgatherv": ("one", "counts"),
    "alltoallv": ("counts", "counts"),
    "alltoallw": ("types", "types"),
    "reduce_scatter": ("whole", "whole"),
}


@dataclass(frozen=True)
class Call:
    """A collective that all ranks call.

    Attributes:
        counts: number of elements in a block; operations with a count per rank take them in turn.
        elements: elements that ranks send and receive, in turn.
        combination: reduction, for operations that reduce.
        apart: for calls that give the positions of blocks: whether blocks lie in reverse order with gaps; ranks in
            turn.
        way: blocking, nonblocking or persistent.
        late: ranks that call later than others, each 20 µs later than the one before.
    """

    operation: str
    counts: tuple[int, ...] = (0,)
    elements: tuple[Element, ...] = (DOUBLE,)
    combination: Combination | None = None
    root: int = 0
    in_place: bool = False
    apart: tuple[bool, ...] = (False,)
    way: str = "blocking"
    late: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """Operation without regard to the form of its counts: gather for gatherv."""
        return self.operation.removesuffix("_block").rstrip("vw")

    def is_in_place(self, rank: int) -> bool:
        """Return whether this rank passes MPI_IN_PLACE."""
        return self.in_place and (rank == self.root or self.operation not in ROOTED)

    def count(self, sender: int, receiver: int) -> int:
        """Return the number of elements in the block from one rank to another."""
        if self.operation not in BY_COUNTS:
            return self.counts[0]
        if self.kind == "alltoall":  # in place, both directions have the same counts
            turn = sender + receiver * (1 if self.in_place else 2)
        else:
            turn = receiver if self.kind in ("scatter", "reduce_scatter") else sender
        return self.counts[turn % len(self.counts)]

    def layout(self, rank: int, lengths: list[int], *, receives: bool) -> Layout:
        """Return the positions of a rank's blocks of these sizes."""
        turns = [receives + rank + (other if self.operation == "alltoallw" else 0) for other in range(len(lengths))]
        elements = [self.elements[turn % len(self.elements)] for turn in turns]
        says_where = self.operation in BY_COUNTS and self.kind != "reduce_scatter"
        apart = says_where and self.apart[rank % len(self.apart)]
        return Layout(list(zip(elements, lengths, strict=True)), apart=apart)


def given(call: Call, ranks: int) -> list[Blocks]:
    """Return the blocks that each rank contributes: small whole numbers, whose sums are exact in any order."""
    element = call.elements[0]

    def block(rank: int, other: int) -> np.ndarray:
        shape = (call.count(rank, other), len(element.places))
        numbers = np.arange(shape[0] * shape[1]).reshape(shape) * 13 + rank * 31 + other * 7
        if element.item != PAIR:
            return (numbers % 97).astype(element.item)
        pairs = np.zeros(shape, PAIR)
        pairs["value"], pairs["index"] = numbers % 3, rank
        return pairs

    def receivers(rank: int) -> range:
        if call.operation in GIVING_TO_EACH:
            return range(ranks)
        if call.kind == "scatter":
            return range(ranks if rank == call.root else 0)
        return range(1)

    return [[block(rank, other) for other in receivers(rank)] for rank in range(ranks)]


def expected(call: Call, blocks: list[Blocks]) -> Received:
    """Return the blocks that each rank must receive."""
    combine = call.combination.of if call.combination else None
    return getattr(plain_collectives, call.kind)(blocks, call.root, combine)


@dataclass
class Side:
    """A buffer of a rank, and the contents that it must have after the call, at least at its beginning."""

    buffer: np.ndarray
    layout: Layout
    wanted: np.ndarray

    def problem(self, does: str) -> str:
        """Describe differences from the expected contents after the call; empty if there are none."""
        differs = np.flatnonzero(self.buffer[: len(self.wanted)] != self.wanted)
        if not len(differs):
            return ""
        first = differs[0]
        return (
            f"of {len(self.buffer)} items of the buffer that it {does}, {len(differs)} are wrong: "
            f"{self.buffer[first]} instead of {self.wanted[first]} at {first}"
        )

    def told(self, spoken_of: str, datatypes: Mapping[Element, Any]) -> list[Any]:
        """Return the buffer as mpi4py's arguments."""
        first = self.layout.blocks[0][0]
        counts = [count * element.words for element, count in self.layout.blocks]
        if spoken_of == "types":
            begins = [begin * self.buffer.itemsize for begin in self.layout.begins]
            return [self.buffer, counts, begins, [datatypes[element] for element, _count in self.layout.blocks]]
        if spoken_of == "counts":
            begins = [begin * first.words // first.extent for begin in self.layout.begins]
            return [self.buffer, counts, begins, datatypes[first]]
        return [self.buffer, sum(counts) if spoken_of == "whole" else counts[0], datatypes[first]]


def sent(call: Call, rank: int, own: Blocks) -> Side | None:
    if call.kind in ("barrier", "bcast") or not own or (call.is_in_place(rank) and call.kind != "scatter"):
        return None
    layout = call.layout(rank, [len(block) for block in own], receives=False)
    return Side(layout.filled(own), layout, layout.filled(own))


def received(call: Call, rank: int, own: Blocks, result: Blocks | None) -> Side | None:
    in_place = call.is_in_place(rank)
    undefined = call.kind == "exscan" and result is None
    if (result is None and not undefined) or (in_place and call.kind == "scatter"):
        return None
    there: list[np.ndarray | None] | None = None
    blocks = own if result is None else result
    if call.kind == "bcast" and rank == call.root:
        there = own
    elif in_place and call.kind in ("gather", "allgather"):
        there = [block if other == rank else None for other, block in enumerate(blocks)]
    elif in_place:
        blocks = there = own
    layout = call.layout(rank, [len(block) for block in blocks], receives=True)
    if undefined:
        wanted = layout.filled()[:0]
    elif in_place and call.kind == "reduce_scatter":  # the result comes first; the rest of the buffer is undefined
        (block,) = result
        wanted = Layout([(call.elements[0], len(block))]).filled(result)[: len(block) * call.elements[0].extent]
    else:
        wanted = layout.filled(result)
    return Side(layout.filled(there), layout, wanted)


def begin(comm: Any, call: Call, sent: Side | None, received: Side | None) -> Callable[[], None]:
    """Start the call, and return a function that waits for its end."""
    from mpi4py import MPI

    datatypes = {element: element.datatype(MPI) for element in call.elements}
    arguments = [
        None if side is None else side.told(spoken_of, datatypes)
        for side, spoken_of in zip((sent, received), SPOKEN_OF.get(call.operation, ("one", "one")), strict=True)
    ]
    if call.is_in_place(comm.rank):
        arguments[call.kind == "scatter"] = MPI.IN_PLACE
    if call.kind in ("barrier", "bcast"):
        del arguments[0]
    if call.kind == "barrier":
        del arguments[0]
    if call.operation == "reduce_scatter":
        arguments.append([call.count(0, other) for other in range(comm.size)])
    op = call.combination.operation(MPI) if call.combination else None
    if op:
        arguments.append(op)
    if call.operation in ROOTED:
        arguments.append(call.root)

    name, request = call.operation.capitalize(), None
    if call.way == "blocking":
        getattr(comm, name)(*arguments)
    elif call.way == "nonblocking":
        request = getattr(comm, "I" + call.operation)(*arguments)
    else:
        request = getattr(comm, name + "_init")(*arguments)
        request.Start()
    for datatype in datatypes.values():
        if not datatype.is_predefined:
            datatype.Free()

    def end() -> None:
        if request is not None:
            request.Wait()
        if call.way == "persistent":
            request.Free()
        if op and not op.is_predefined:
            op.Free()

    return end
