"""Record of a running program: values, the array elements that hold them, and which value is computed from which.

A *value* is the content of one element at one time; it gets a number when it is computed. An *element position*
(`home`, `places`) is one element of one array, which holds different values at different times; it has a number, too.
Example: `u[1:-1] = u[:-2] + u[2:]` with 5 elements computes 3 values and records 6 edges. Their homes are the positions
of u[1], u[2] and u[3].

An *execution* (`event`) is one execution of a statement of the program.

A *meeting* is an auxiliary vertex that stands for edges from each of its sources to each of its results, such as a row
of a matrix and a row of its product. It is numbered like a value, so that n sources and m results need n + m edges
instead of n · m.
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
"""Properties of values, as bits. TEMPORARY: not assigned to an array of the program yet. SUM: sum (or maximum, …)
of its sources, which can be added up in parts. MEETING: auxiliary vertex. SCAN: partial sum in a chain, as in a cumsum.
INTEGER: integer or boolean. INDEX: has been used as an index."""

NOWHERE = -1  # home of scalars and meetings, which no array holds


class Block:
    """Element positions of one array.

    Attributes:
        first: number of the array's first element position.
        places: (shape of the array) numbers of the element positions.
        shape: shape of the array.
        name: variable that the array was assigned to when it was made, or None.
        temporary: True if an expression made the array, False if a function such as numpy.zeros did.
    """

    __slots__ = ("first", "name", "places", "shape", "temporary")

    def __init__(self, first: int, places: Array, name: str | None, *, temporary: bool) -> None:
        self.first = first
        self.places = places
        self.shape = places.shape
        self.name = name
        self.temporary = temporary


class Lease:
    """Use of a block (the element positions of one array) by an array and its views.

    When the last of them is freed, the block returns to the pool, from which a later array can take it.
    """

    __slots__ = ("_pool", "block")

    def __init__(self, block: Block, pool: list[Block]) -> None:
        self.block = block
        self._pool = pool

    @property
    def first(self) -> int:
        """Number of the first element position of the block."""
        return self.block.first

    def __del__(self) -> None:
        self._pool.append(self.block)


@dataclass(frozen=True)
class Statement:
    """Statement of the program, known by its file and first line."""

    file: str
    line: int

    @property
    def place(self) -> str:
        """The statement as ``file:line``, with the file's name only."""
        return f"{Path(self.file).name}:{self.line}"


class Record:
    """Record of a run as flat columns: values, edges between them, and executions of statements.

    Attributes:
        home: (values) element position that the value was first assigned to (before that, the one in the expression's
            result), or NOWHERE.
        kind: (values) properties, as bits.
        event: (values) number of the execution that computes the value.
        work: (values) floating-point operations of its computation.
        words: (values) size in words of 8 bytes.
        source, sink: (edges) number of the value that is read, and of the one that is computed from it.
        statement: (executions) number of the statement in `statements`.
        mark: (executions) hash of the calls that led to the statement and of the positions that it assigns. A statement
            repeats an earlier execution if both have the same hash.
        first_edge: (executions) number of edges recorded before it.
        executed: numbers of executions in the order in which they ran; a repeated one occurs several times.
        statements: statements of the program, in the order of their first executions.
        blocks: element positions of each array.
        steering: values that decide what the program does, each with the number of the execution that needs it.
        random_events: numbers of the executions that draw random numbers.
        numbers: translator from the numbers of values in the program's arrays to those in the columns.
        places: number of element positions.
    """

    def __init__(self) -> None:
        self.home, self.kind, self.event = array("i"), array("B"), array("i")
        self.work, self.words = array("f"), array("B")
        self.source, self.sink = array("i"), array("i")
        self.statement, self.mark, self.first_edge = array("i"), array("q"), array("q")
        self.executed = array("i")
        self.statements: list[Statement] = []
        self.blocks: list[Block] = []
        self.steering: list[tuple[int, int]] = []
        self.random_events: list[int] = []
        self.numbers = Numbers()
        self.places = 0

    def temporaries(self, first: int, end: int) -> Array:
        """Return a mask of the values from `first` to `end` (without `end`) that are temporary.

        They are elements of an expression's result that were not assigned to an array of the program; sums are left
        out.
        """
        kinds, homes = np.frombuffer(self.kind, np.uint8)[first:end], np.frombuffer(self.home, np.int32)[first:end]
        found: Array = ((kinds & (TEMPORARY | SUM | MEETING | SCAN)) == TEMPORARY) & (homes >= 0)
        return found

    def release(self) -> None:
        """Drop the columns of values and edges to free their memory; nothing can be recorded afterwards."""
        self.home, self.kind, self.event = array("i"), array("B"), array("i")
        self.work, self.words = array("f"), array("B")
        self.source, self.sink = array("i"), array("i")
