"""Elements of buffers: their items, and their positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

PAIR = np.dtype([("value", "d"), ("index", "i")], align=True)  # MPI_DOUBLE_INT
UNTOUCHED = {"d": -7.0, "B": 238, PAIR: (-7.0, -7)}  # contents of buffers between elements


@dataclass(frozen=True)
class Element:
    """Several items of a numpy type."""

    name: str
    item: Any
    places: tuple[int, ...]  # positions of its items, in the order of sending
    extent: int  # distance to the next element, in items
    one_by_one: bool = False  # whether calls count items instead of elements

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # used by hypothesis
        printer.text(self.name)

    @property
    def size(self) -> int:
        """Number of bytes sent."""
        bytes_of_item = 12 if self.item is PAIR else np.dtype(self.item).itemsize
        return len(self.places) * bytes_of_item

    @property
    def words(self) -> int:
        """Number of MPI elements."""
        return len(self.places) if self.one_by_one else 1

    def datatype(self, MPI: Any) -> Any:
        """Return the MPI datatype; free it unless it is predefined."""
        base = {"d": MPI.DOUBLE, "B": MPI.BYTE, PAIR: MPI.DOUBLE_INT}[self.item]
        if self.one_by_one or (self.extent == 1 and self.places):
            return base
        block = base.Create_indexed_block(1, self.places)
        datatype = block.Create_resized(0, self.extent * base.extent).Commit()
        block.Free()
        return datatype

    def in_memory(self, memory: Any) -> np.ndarray:
        """Return a view of the elements in memory, one row of items per element."""
        return np.frombuffer(memory, self.item).reshape(-1, self.extent)


DOUBLE = Element("double", "d", (0,), 1)
BYTE = Element("byte", "B", (0,), 1)
VALUE_AND_INDEX = Element("value and index", PAIR, (0,), 1)
TWO_WITH_GAPS = Element("two doubles with gaps", "d", (0, 2), 4)
MATRIX = Element("two by two doubles", "d", (0, 1, 2, 3), 4)

# The elements of a group have the same items: one may be sent and another one received.
GROUPS = (
    (DOUBLE, Element("double with a gap", "d", (0,), 3)),
    (BYTE,),
    (
        Element("two doubles, one by one", "d", (0, 1), 2, one_by_one=True),
        Element("two doubles", "d", (0, 1), 2),
        TWO_WITH_GAPS,
        Element("two doubles, backwards", "d", (2, 0), 3),
    ),
    (Element("nothing, one by one", "d", (), 2, one_by_one=True), Element("nothing", "d", (), 2)),
    (
        Element("seven bytes, one by one", "B", tuple(range(7)), 7, one_by_one=True),
        Element("seven bytes", "B", tuple(range(7)), 7),
        Element("seven bytes with gaps", "B", (0, 1, 2, 4, 5, 7, 8), 10),
    ),
)


class Layout:
    """Positions of a buffer's blocks: consecutive, or in reverse order with gaps."""

    def __init__(self, blocks: Sequence[tuple[Element, int]], *, apart: bool = False) -> None:
        self.blocks = list(blocks)  # number of elements in each block
        self.begins = [0] * len(self.blocks)  # in items
        end = 0
        for index in reversed(range(len(blocks))) if apart else range(len(blocks)):
            element, count = blocks[index]
            self.begins[index] = end
            end += element.extent * (count + apart)
        self.length = end + 3  # longer than needed: the rest must stay unchanged

    def filled(self, values: Sequence[np.ndarray | None] | None = None) -> np.ndarray:
        """Return a buffer with these values in its blocks."""
        item = self.blocks[0][0].item
        buffer = np.full(self.length, np.array(UNTOUCHED[item], item))
        for (element, count), begin, value in zip(self.blocks, self.begins, values or [], strict=values is not None):
            rows = buffer[begin : begin + count * element.extent].reshape(count, element.extent)
            if value is not None:
                rows[:, element.places] = value
        return buffer
