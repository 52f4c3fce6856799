"""Grids of ranks: the neighbours of a rank, and the sizes of its messages to them."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Neighbour", "elements_in_the_middle", "neighbours"]


@dataclass(frozen=True)
class Neighbour:
    """Rank to which another rank sends a message, or from which it receives one.

    Attributes:
        rank: number of the rank.
        elements: number of grid elements in the message: those of a face, an edge or a corner.
    """

    rank: int
    elements: float


def neighbours(rank: int, sides: Sequence[int], side: float, modifiers: Iterable[str]) -> tuple[list[Neighbour], ...]:
    """Return a list of the ranks to which a rank sends, and a list of those from which it receives.

    The ranks form a grid. Its first coordinate changes fastest with the rank. Each rank has a cube (square, line) of
    elements. A neighbour whose coordinates differ in c of d dimensions gets ``side ** (d - c)`` elements. If two
    neighbours are the same rank, as in a periodic grid of two ranks, both are in the lists, in the order in which their
    messages match.

    Args:
        rank: number of the rank.
        sides: number of ranks in each dimension.
        side: number of elements along a side of a rank's cube.
        modifiers: "face" for neighbours that share a face only, "periodic" for a grid without edge, "pwave" or "nwave"
            for messages to higher or lower ranks only, "nodal" for 2^(d - c) times as many elements.
    """
    words = {each.lower() for each in modifiers}
    here = []
    rest = rank
    for length in sides:
        here.append(rest % length)
        rest //= length
    sent: list[Neighbour] = []
    received: list[Neighbour] = []
    for step in itertools.product((-1, 0, 1), repeat=len(sides)):
        moved = sum(map(abs, step))
        if moved == 0 or ("face" in words and moved > 1):
            continue
        shared = len(sides) - moved
        elements = side**shared * (2**shared if "nodal" in words else 1)
        to = _at(here, step, sides, "periodic" in words)
        source = _at(here, [-each for each in step], sides, "periodic" in words)
        if to is not None and _allowed(rank, to, words):
            sent.append(Neighbour(to, elements))
        if source is not None and _allowed(source, rank, words):
            received.append(Neighbour(source, elements))
    return sent, received


def elements_in_the_middle(dimensions: int, side: Any, modifiers: Iterable[str]) -> Any:
    """Return the number of elements sent by a rank that is not at the edge of the grid, so that it has all neighbours.

    Args:
        dimensions: number of dimensions of the grid.
        side: number, or array of numbers, of elements along a side of the cube of data that a rank has.
        modifiers: as for `neighbours`.
    """
    words = {each.lower() for each in modifiers}
    total: Any = 0.0
    for moved in range(1, 2 if "face" in words else dimensions + 1):
        shared = dimensions - moved
        count = math.comb(dimensions, moved) * 2**moved * (2**shared if "nodal" in words else 1)
        total = total + count * side**shared
    return total / 2 if words & {"pwave", "nwave"} else total


def _at(here: Sequence[int], step: Sequence[int], sides: Sequence[int], periodic: bool) -> int | None:
    rank, stride = 0, 1
    for coordinate, change, length in zip(here, step, sides, strict=True):
        place = coordinate + change
        if not 0 <= place < length:
            if not periodic:
                return None
            place %= length
        rank += place * stride
        stride *= length
    return rank


def _allowed(sender: int, receiver: int, words: set[str]) -> bool:
    if "pwave" in words:
        return receiver > sender
    return receiver < sender if "nwave" in words else True
