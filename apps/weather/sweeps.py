"""Exchange of halos along one dimension of a grid: all messages of a sweep are posted at once."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from mpi4py import MPI
from partition import Span, span, touched, touching

import pysmpi

Message = tuple[int, int, Span]
"""Side of the receiver's halo, number of the other part, and the points of the line."""


@dataclass(frozen=True, slots=True)
class Line:
    """Ranks that share a line of points: part p is on rank `first` + p · `stride`."""

    points: int
    parts: int
    part: int
    first: int
    stride: int

    @classmethod
    def along_x(cls, grid: tuple[int, int, int], cx: int, rank: int) -> Self:
        """Return the line of a rank along x."""
        return cls(grid[0], cx, rank % cx, rank - rank % cx, 1)

    @classmethod
    def along_y(cls, grid: tuple[int, int, int], cx: int, cy: int, rank: int) -> Self:
        """Return the line of a rank along y."""
        return cls(grid[1], cy, rank // cx, rank % cx, cx)

    @property
    def own(self) -> Span:
        """The rank's own points."""
        return span(self.points, self.parts, self.part)

    def rank(self, part: int) -> int:
        """Return the rank that has a part; numbers of parts are periodic."""
        return self.first + part % self.parts * self.stride

    def incoming(self, width: int) -> list[Message]:
        """Return the messages that fill the rank's halo."""
        return list(touched(self.points, self.parts, self.part, width))

    def outgoing(self, width: int) -> list[Message]:
        """Return the messages with the rank's own points for the halos of others."""
        return list(touching(self.points, self.parts, self.part, width))


def sweep(world: MPI.Comm, line: Line, width: int, others: int, field: np.ndarray | None, axis: int) -> None:
    """Fill a field's halo along a line of ranks.

    Args:
        world: communicator of all ranks.
        line: the line.
        width: width of the halo in points; it may be more than the neighbour's part, or than the whole line.
        others: points of the field for each point of the line.
        field: the field, with a halo on both sides along `axis`, or None for folded messages.
        axis: dimension of `field` along the line.
    """
    incoming, outgoing = line.incoming(width), line.outgoing(width)
    here = None if field is None else np.moveaxis(field, axis, 0)[slice(*_local(line, width, line.own))]
    received = _buffer(incoming, others, here)
    sent = _buffer(outgoing, others, here)
    if here is not None:
        begin = line.own[0]
        pieces = [here[first - begin : last - begin].ravel() for _, _, (first, last) in outgoing]
        np.concatenate(pieces or [sent], out=sent)
    requests = []
    for post, buffer, messages in ((world.Irecv, received, incoming), (world.Isend, sent, outgoing)):
        place = 0
        for side, other, (first, last) in messages:
            count = (last - first) * others
            # Messages between the same two ranks and to the same side are sent in the order in which they are awaited.
            requests.append(post([buffer, (count, place), MPI.DOUBLE], line.rank(other), side + 1))
            place += count
    MPI.Request.Waitall(requests)
    if field is not None:
        front, place = np.moveaxis(field, axis, 0), 0
        for _, _, points in incoming:
            part = front[slice(*_local(line, width, points))]
            part[...] = received[place : place + part.size].reshape(part.shape)
            place += part.size


def _local(line: Line, width: int, points: Span) -> Span:
    """Return the places of a line's points in a field with a halo."""
    begin = line.own[0] - width
    return points[0] - begin, points[1] - begin


def _buffer(messages: list[Message], others: int, field: np.ndarray | None) -> np.ndarray:
    size = sum(last - first for _, _, (first, last) in messages) * others
    return pysmpi.folded_empty(size) if field is None else np.empty(size)
