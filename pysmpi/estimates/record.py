"""Record of a running program: values, the places that they live in, and which value is made from which.

A *value* is one element at one time; it gets a number when it is computed. A *place* is one element of an array, which
holds different values at different times. Example: `u[1:-1] = u[:-2] + u[2:]` with 5 elements makes 3 values and
records 6 edges. The values get the places of u[1], u[2] and u[3].

A *meeting* stands for edges from each of its sources to each of its results, such as a row of a matrix and a row of its
product. It is numbered like a value, so that n sources and m results need n + m edges instead of n · m.
"""

from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pysmpi.estimates.numbering import Numbers

__all__ = [
    "INDEX", "INTEGER", "MEETING", "NOWHERE", "PLAIN", "SCAN", "SUM", "TEMPORARY", "Array", "Block", "Lease",
    "Record", "Statement",
]  # fmt: skip

Array = np.ndarray[Any, Any]

PLAIN, TEMPORARY, SUM, MEETING, SCAN, INTEGER, INDEX = 0, 1, 2, 4, 8, 16, 32
"""Properties of values, as bits: lives in no array of the program yet; sum (or maximum, …) of its sources, which can be
added up in parts; meeting; link of a chain of partial sums; integer or boolean; has served as an index."""

NOWHERE = -1  # place of scalars that live in no array


class Block:
    """Places of one array.

    Attributes:
        first: number of the first place.
        shape: shape of the array.
        name: variable that the array was assigned to when it was made, or None.
        temporary: whether an expression made the array, and not a function such as numpy.zeros.
    """

    __slots__ = ("first", "name", "places", "shape", "temporary")

    def __init__(self, first: int, places: Array, name: str | None, *, temporary: bool) -> None:
        self.first = first
        self.places = places
        self.shape = places.shape
        self.name = name
        self.temporary = temporary


class Lease:
    """Use of a block by an array and its views; at its end a temporary's block can be used again."""

    __slots__ = ("_pool", "block")

    def __init__(self, block: Block, pool: list[Block]) -> None:
        self.block = block
        self._pool = pool

    @property
    def first(self) -> int:
        """Number of the first place."""
        return self.block.first

    def __del__(self) -> None:
        self._pool.append(self.block)


@dataclass(frozen=True)
class Statement:
    """Statement of the program: file and first line."""

    file: str
    line: int

    @property
    def place(self) -> str:
        """The statement as ``file:line``, with the file's name only."""
        return f"{Path(self.file).name}:{self.line}"


class Record:
    """Columns of values, edges and events, and the blocks of places."""

    def __init__(self) -> None:
        # Columns of values.
        self.home, self.kind, self.event = array("i"), array("B"), array("i")
        self.work, self.words = array("f"), array("B")
        # Columns of edges.
        self.source, self.sink = array("i"), array("i")
        # Columns of events: executions of statements, in order, without those that are repeated.
        self.statement, self.mark, self.first_edge = array("i"), array("q"), array("q")
        self.executed = array("i")  # events in the order of execution, with repetitions
        self.statements: list[Statement] = []
        self.blocks: list[Block] = []
        self.steering: list[tuple[int, int]] = []  # values that decide what the program does, with their events
        self.random_events: list[int] = []
        self.numbers = Numbers()
        self.places = 0

    def temporaries(self, first: int, end: int) -> Array:
        """Return which values from `first` to `end` are elements of an expression's array, and no sums or meetings."""
        kinds, homes = np.frombuffer(self.kind, np.uint8)[first:end], np.frombuffer(self.home, np.int32)[first:end]
        found: Array = ((kinds & (TEMPORARY | SUM | MEETING | SCAN)) == TEMPORARY) & (homes >= 0)
        return found

    def release(self) -> None:
        """Give up the columns of values and edges; nothing can be recorded any more."""
        self.home, self.kind, self.event = array("i"), array("B"), array("i")
        self.work, self.words = array("f"), array("B")
        self.source, self.sink = array("i"), array("i")
