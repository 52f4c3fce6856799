"""Which rows of the trailing matrix the pivots of a panel move."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from distribution import local_counts


class Exchange(NamedTuple):
    """Which rows a panel's pivots move."""

    sources: list[int]  # global row that becomes row j of U, for each j
    displaced: dict[int, int]  # global row below the block → row of the block that takes its place, from 0


def exchange_of(pivots: list[int], first: int) -> Exchange:
    """Follow the exchanges of rows first + j and pivots[j], in order."""
    width = len(pivots)
    content: dict[int, int] = {}
    for j, pivot in enumerate(pivots):
        top = first + j
        content[top], content[pivot] = content.get(pivot, pivot), content.get(top, top)
    sources = [content[first + j] for j in range(width)]
    return Exchange(sources, {row: source - first for row, source in content.items() if row >= first + width})


def spread_counts(n: int, nb: int, p: int) -> npt.NDArray[np.int64]:
    """How many rows of each panel's U come from each process row, in a simulation: in proportion to the rows left.

    That is the mean of what a random matrix gives. One line a panel.
    """
    firsts = np.arange(0, n, nb)
    left = local_counts(np.array([n]), nb, p) - local_counts(firsts, nb, p)
    upto = np.cumsum(left, axis=1)
    widths = np.minimum(nb, n - firsts)[:, np.newaxis]
    return np.diff(widths * upto // upto[:, -1:], axis=1, prepend=0)
