"""Parts of the grid on a rank before, between and after the transpositions, and the messages between ranks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Box = tuple[slice, slice, slice]


def part(points: int, parts: int, number: int) -> slice:
    """Return one of `parts` ranges of points whose lengths differ by at most one."""
    return slice(points * number // parts, points * (number + 1) // parts)


def length(run: slice) -> int:
    """Return the number of points."""
    return int(run.stop - run.start)


def equal_blocks(grid: Sequence[int], cx: int, cy: int) -> bool:
    """Return whether all messages of a transposition are equally long."""
    x, y, z = grid
    return x % cx == 0 and x % cy == 0 and y % cy == 0 and z % cx == 0


def whole_grid(grid: tuple[int, int, int]) -> np.ndarray:
    """Return a field in which all points differ."""
    return np.arange(float(np.prod(grid))).reshape(grid)


@dataclass(frozen=True)
class Move:
    """One rank's side of a transposition.

    `divided` is the dimension divided among the ranks afterwards, `gathered` the one no longer divided.
    Received data is in the order of the senders; `gathered` is moved to the front, so that no sorting is needed.
    """

    divided: int
    parts: tuple[slice, ...]
    """Parts of the divided dimension, by rank."""
    gathered: int
    lengths: tuple[int, ...]
    """Lengths of each rank's part of the gathered dimension."""
    others: int
    """Points of the third dimension."""
    rank: int

    @property
    def send_counts(self) -> list[int]:
        """Numbers sent to each rank."""
        mine = self.lengths[self.rank] * self.others
        return [length(run) * mine for run in self.parts]

    @property
    def receive_counts(self) -> list[int]:
        """Numbers received from each rank."""
        mine = length(self.parts[self.rank]) * self.others
        return [points * mine for points in self.lengths]

    @property
    def received_shape(self) -> tuple[int, int, int]:
        """Shape of the received data: the gathered dimension first, then the other two in order."""
        shape = {self.divided: length(self.parts[self.rank]), self.gathered: sum(self.lengths)}
        rest = [shape.get(dimension, self.others) for dimension in range(3) if dimension != self.gathered]
        return sum(self.lengths), rest[0], rest[1]

    def pack(self, field: np.ndarray) -> np.ndarray:
        """Return the data sent to the ranks, one after another."""
        front = np.moveaxis(field, self.gathered, 0)
        divided = self.divided + (self.divided < self.gathered)  # as a dimension of `front`
        pieces = [np.take(front, range(run.start, run.stop), axis=divided).ravel() for run in self.parts]
        return np.concatenate(pieces)

    def unpack(self, received: np.ndarray) -> np.ndarray:
        """Return the new field, with dimensions in the order x, y, z."""
        return np.moveaxis(received, 0, self.gathered)


@dataclass(frozen=True)
class Place:
    """Place of a rank: part i of cx, part j of cy."""

    grid: tuple[int, int, int]
    cx: int
    cy: int
    i: int
    j: int

    def columns(self) -> Box:
        """Return the rank's box with all z."""
        x, y, z = self.grid
        return part(x, self.cx, self.i), part(y, self.cy, self.j), slice(0, z)

    def rows(self) -> Box:
        """Return the rank's box with all x."""
        x, y, z = self.grid
        return slice(0, x), part(y, self.cy, self.j), part(z, self.cx, self.i)

    def slices(self) -> Box:
        """Return the rank's box with all y."""
        x, y, z = self.grid
        return part(x, self.cy, self.j), slice(0, y), part(z, self.cx, self.i)

    def columns_to_rows(self) -> Move:
        """Return the move among the cx ranks with the same part of y."""
        x, y, z = self.grid
        return Move(
            divided=2,
            parts=tuple(part(z, self.cx, number) for number in range(self.cx)),
            gathered=0,
            lengths=tuple(length(part(x, self.cx, number)) for number in range(self.cx)),
            others=length(part(y, self.cy, self.j)),
            rank=self.i,
        )

    def rows_to_slices(self) -> Move:
        """Return the move among the cy ranks with the same part of z."""
        x, y, z = self.grid
        return Move(
            divided=0,
            parts=tuple(part(x, self.cy, number) for number in range(self.cy)),
            gathered=1,
            lengths=tuple(length(part(y, self.cy, number)) for number in range(self.cy)),
            others=length(part(z, self.cx, self.i)),
            rank=self.j,
        )
