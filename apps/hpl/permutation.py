"""Moves of rows of the trailing matrix by the pivots of a panel."""

from typing import NamedTuple


class Exchange(NamedTuple):
    """Rows moved by a panel's pivots."""

    sources: list[int]  # global row that becomes row j of U, for each j
    displaced: dict[int, int]  # global row below the block → row of the block that takes its place, from 0


def exchange_of(pivots: list[int], first: int) -> Exchange:
    """Return the moves of rows that result from exchanging row first + j with row pivots[j], for each j in order."""
    width = len(pivots)
    content: dict[int, int] = {}
    for j, pivot in enumerate(pivots):
        top = first + j
        content[top], content[pivot] = content.get(pivot, pivot), content.get(top, top)
    sources = [content[first + j] for j in range(width)]
    return Exchange(sources, {row: source - first for row, source in content.items() if row >= first + width})
