"""Exchange of halos along one dimension of a grid: all messages of a sweep are posted at once."""

import itertools
from dataclasses import dataclass
from typing import Self

import numpy as np
from mpi4py import MPI
from partition import Span, span, touched, touching

import pysmpi

Message = tuple[int, int, Span]
"""Side of the receiver's halo, number of the other part, and the points of the line."""

Messages = tuple[Message, ...]

Post = tuple[int, int, tuple[int, int]]
"""Tag, number of the other part, and count and place of a message's numbers in a buffer."""


@pysmpi.shared_cache
def messages(points: int, parts: int, part: int, width: int) -> tuple[Messages, Messages]:
    """Return the messages to a part's halo, and those from the part to the halos of others.

    All ranks of a simulation share this result and that of `posts`.
    """
    return tuple(touched(points, parts, part, width)), tuple(touching(points, parts, part, width))


@pysmpi.shared_cache
def posts(points: int, parts: int, part: int, width: int, others: int) -> tuple[tuple[Post, ...], tuple[Post, ...]]:
    """Return what is to be posted for these messages, if each point has `others` numbers."""
    found = []
    for each in messages(points, parts, part, width):
        lengths = [(last - first) * others for _, _, (first, last) in each]
        places = itertools.accumulate(lengths, initial=0)
        # Messages between the same two ranks and to the same side are sent in the order in which they are awaited.
        found.append(
            tuple((side + 1, other, span) for (side, other, _), span in zip(each, zip(lengths, places)))  # noqa: B905
        )
    return found[0], found[1]


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
    place_in_line = line.points, line.parts, line.part, width
    incoming, outgoing = messages(*place_in_line)
    here = None if field is None else np.moveaxis(field, axis, 0)[slice(*_local(line, width, line.own))]
    received = _buffer("receive", incoming, others, here)
    sent = _buffer("send", outgoing, others, here)
    if here is not None:
        begin = line.own[0]
        pieces = [here[first - begin : last - begin].ravel() for _, _, (first, last) in outgoing]
        np.concatenate(pieces or [sent], out=sent)
    to_receive, to_send = posts(*place_in_line, others)
    requests = [world.Irecv([received, span, MPI.DOUBLE], line.rank(part), tag) for tag, part, span in to_receive]
    requests += [world.Isend([sent, span, MPI.DOUBLE], line.rank(part), tag) for tag, part, span in to_send]
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


def _buffer(purpose: str, messages: Messages, others: int, field: np.ndarray | None) -> np.ndarray:
    size = sum(last - first for _, _, (first, last) in messages) * others
    return _folded_buffer(purpose, size) if field is None else np.empty(size)


@pysmpi.shared_cache
def _folded_buffer(_purpose: str, size: int) -> np.ndarray:
    """Return a buffer of a size for a purpose, which the ranks of a simulation share, since nobody reads it."""
    return pysmpi.folded_empty(size)
