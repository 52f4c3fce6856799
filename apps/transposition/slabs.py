"""Which part of the grid a rank has before, between and after the transpositions, and what it sends to whom."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Box = tuple[slice, slice, slice]


def part(points: int, parts: int, number: int) -> slice:
    """One of so many runs of points that differ in length by one at most."""
    return slice(points * number // parts, points * (number + 1) // parts)


def length(run: slice) -> int:
    """How many points."""
    return int(run.stop - run.start)


def equal_blocks(grid: Sequence[int], cx: int, cy: int) -> bool:
    """Return whether all messages of a transposition are equally long."""
    x, y, z = grid
    return x % cx == 0 and x % cy == 0 and y % cy == 0 and z % cx == 0


def whole_grid(grid: tuple[int, int, int]) -> np.ndarray:
    """Return a field in which no two points are equal."""
    return np.arange(float(np.prod(grid))).reshape(grid)


@dataclass(frozen=True)
class Move:
    """One rank's side of a transposition: the dimension `divided` is divided among the ranks, `gathered` is no more.

    What arrives lies in the order of its senders; `gathered` is moved to the front, so that it need not be sorted.
    """

    divided: int
    parts: tuple[slice, ...]
    """Of the divided dimension, by rank."""
    gathered: int
    lengths: tuple[int, ...]
    """Of what each rank has of the gathered dimension."""
    others: int
    """Points of the third dimension."""
    rank: int

    @property
    def send_counts(self) -> list[int]:
        """Numbers to each rank."""
        mine = self.lengths[self.rank] * self.others
        return [length(run) * mine for run in self.parts]

    @property
    def receive_counts(self) -> list[int]:
        """Numbers from each rank."""
        mine = length(self.parts[self.rank]) * self.others
        return [points * mine for points in self.lengths]

    @property
    def received_shape(self) -> tuple[int, int, int]:
        """Of what arrives: the gathered dimension first, the others in their order."""
        shape = {self.divided: length(self.parts[self.rank]), self.gathered: sum(self.lengths)}
        rest = [shape.get(dimension, self.others) for dimension in range(3) if dimension != self.gathered]
        return sum(self.lengths), rest[0], rest[1]

    def pack(self, field: np.ndarray) -> np.ndarray:
        """What goes to the ranks, one after another."""
        front = np.moveaxis(field, self.gathered, 0)
        divided = self.divided + (self.divided < self.gathered)  # as a dimension of `front`
        pieces = [np.take(front, range(run.start, run.stop), axis=divided).ravel() for run in self.parts]
        return np.concatenate(pieces)

    def unpack(self, received: np.ndarray) -> np.ndarray:
        """Return the new field, dimensions in the order x, y, z."""
        return np.moveaxis(received, 0, self.gathered)


@dataclass(frozen=True)
class Place:
    """A rank's place: part i of cx, part j of cy."""

    grid: tuple[int, int, int]
    cx: int
    cy: int
    i: int
    j: int

    def columns(self) -> Box:
        """Return all z."""
        x, y, z = self.grid
        return part(x, self.cx, self.i), part(y, self.cy, self.j), slice(0, z)

    def rows(self) -> Box:
        """Return all x."""
        x, y, z = self.grid
        return slice(0, x), part(y, self.cy, self.j), part(z, self.cx, self.i)

    def slices(self) -> Box:
        """Return all y."""
        x, y, z = self.grid
        return part(x, self.cy, self.j), slice(0, y), part(z, self.cx, self.i)

    def columns_to_rows(self) -> Move:
        """Among the cx ranks with the same part of y."""
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
        """Among the cy ranks with the same part of z."""
        x, y, z = self.grid
        return Move(
            divided=0,
            parts=tuple(part(x, self.cy, number) for number in range(self.cy)),
            gathered=1,
            lengths=tuple(length(part(y, self.cy, number)) for number in range(self.cy)),
            others=length(part(z, self.cx, self.i)),
            rank=self.j,
        )
