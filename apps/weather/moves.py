"""Parts of the grid on a rank before and after each transposition, and the numbers that ranks send to each other."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from partition import Span, lengths, span

import pysmpi

Grid = tuple[int, int, int]
Box = tuple[Span, Span, Span]
Place = tuple[int, int]
"""Number of parts, and number of a rank's own part."""

MOVES = (
    ("grid points to Fourier", 2, 0, True, "Fourier"),
    ("Fourier to Legendre", 0, 1, False, "Legendre"),
    ("Legendre to spectral", 1, 2, True, "spectral"),
)
"""For each transposition: name, dimension that is divided by it, dimension that is gathered, whether it is among ranks
with the same part of y, and the distribution after it."""


def box(distribution: str, grid: Grid, along_x: Place, along_y: Place) -> Box:
    """Return a rank's part of the grid; `along_x` is its place among cx parts, `along_y` among cy."""
    x, y, z = grid
    if distribution == "grid points":
        return span(x, *along_x), span(y, *along_y), (0, z)
    if distribution == "Fourier":
        return (0, x), span(y, *along_y), span(z, *along_x)
    if distribution == "Legendre":
        return span(x, *along_y), (0, y), span(z, *along_x)
    return span(x, *along_y), span(y, *along_x), (0, z)


@pysmpi.shared_cache
def counts(points: int, parts: int, others: int) -> np.ndarray:
    """Return the numbers in each part of a line that has `others` numbers for each point.

    The ranks of a simulation share the vectors, which would otherwise take most of the memory.
    """
    return lengths(points, parts) * others


@dataclass(frozen=True, slots=True)
class Move:
    """One rank's side of a transposition.

    Received data is in the order of the senders. `gathered` is its first dimension, so that no sorting is needed.
    """

    divided: int
    """Dimension that is divided among the ranks."""
    gathered: int
    """Dimension that becomes whole."""
    parts: int
    """Number of ranks of the exchange."""
    part: int
    """Number of this rank among them."""
    grid: Grid
    others: int
    """Points of the third dimension."""

    @classmethod
    def of(cls, grid: Grid, divided: int, gathered: int, along_x: Place, along_y: Place, is_row: bool) -> Self:
        """Return a rank's move; a row is the cx ranks with the same part of y."""
        mine, other = (along_x, along_y) if is_row else (along_y, along_x)
        begin, end = span(grid[3 - divided - gathered], *other)
        return cls(divided, gathered, *mine, grid, end - begin)

    def _own(self, dimension: int) -> int:
        begin, end = span(self.grid[dimension], self.parts, self.part)
        return (end - begin) * self.others

    @property
    def send_counts(self) -> np.ndarray:
        """Numbers sent to each rank."""
        return counts(self.grid[self.divided], self.parts, self._own(self.gathered))

    @property
    def receive_counts(self) -> np.ndarray:
        """Numbers received from each rank."""
        return counts(self.grid[self.gathered], self.parts, self._own(self.divided))

    @property
    def received_shape(self) -> tuple[int, int, int]:
        """Shape of the received data: the gathered dimension first, then the other two in order."""
        begin, end = span(self.grid[self.divided], self.parts, self.part)
        sizes = {self.divided: end - begin, self.gathered: self.grid[self.gathered]}
        first, second = (sizes.get(dimension, self.others) for dimension in range(3) if dimension != self.gathered)
        return sizes[self.gathered], first, second

    def pack(self, field: np.ndarray) -> np.ndarray:
        """Return the data sent to the ranks, one after another."""
        front = np.moveaxis(field, self.gathered, 0)
        axis = self.divided + (self.divided < self.gathered)  # the divided dimension in `front`
        spans = (span(self.grid[self.divided], self.parts, number) for number in range(self.parts))
        return np.concatenate([np.take(front, range(*points), axis).ravel() for points in spans])

    def unpack(self, received: np.ndarray) -> np.ndarray:
        """Return the new field, with dimensions in the order x, y, z."""
        return np.moveaxis(received, 0, self.gathered)
