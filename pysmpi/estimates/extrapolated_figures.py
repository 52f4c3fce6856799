"""Figures of problem sizes that were not measured, extrapolated for several cuts of the arrays into blocks.

Of these cuts the best balanced one is taken; if several are equally balanced, the one that sends the fewest words.
The cut that sends least at small sizes may send most at large ones. Example: K-means with 64 nodes, whose objects have
8 features. If nodes divide the features as well, they exchange partial distances of each object, but fewer parts of the
centres. This sends less for 512 objects, and a thousand times as much for ten million.
"""

from collections.abc import Sequence
from dataclasses import replace

from pysmpi.estimates.block_cuts import BALANCED, BlockCuts, Cut, Division
from pysmpi.estimates.cut_figures import CutFigures, figures_of
from pysmpi.estimates.rows import Candidate, Row, candidate_of, scaled_row
from pysmpi.estimates.value_flow import Flow
from pysmpi.estimates.words_by_size import WORST_FIT, words_of_size

__all__ = ["LEAST_PART", "LargestSize", "extrapolated"]

LEAST_PART = 16
"""Least number of array elements per node at measured sizes from which figures of other sizes are extrapolated."""


class LargestSize:
    """Ways to divide arrays into blocks, found at the largest measured problem size and applied at all sizes."""

    def __init__(self) -> None:
        self._flow: Flow | None = None
        self._cuts: BlockCuts | None = None
        self._divisions: dict[int, list[Division]] = {}
        self._slabs: dict[int, Division | None] = {}

    def figures(self, nodes: int, ranked: list[Division], flow: Flow, cuts: BlockCuts) -> list[CutFigures | None]:
        """Return the figures, at one size, of each cut that was found at the largest size.

        The first call must be for the largest size; it stores the arguments.

        Args:
            nodes: number of nodes.
            ranked: best ways to divide the arrays at this size.
            flow: data-flow graph at this size.
            cuts: search for block cuts at this size.

        Returns:
            Figures of each cut; None for a cut for which an array has too few elements at this size.
        """
        if self._cuts is None:
            self._flow, self._cuts = flow, cuts
        found = [cuts.cut_by(nodes, each) for each in self._divisions.setdefault(nodes, ranked)]
        return [None if cut is None else figures_of(flow, cut) for cut in found]

    def slabs(self, nodes: int, usual: Cut, cuts: BlockCuts) -> Cut | None:
        """Return the cut, at one size, that divides arrays along the same one axis as at the largest size.

        The first call must be for the largest size, at which the axis is found.

        Args:
            nodes: number of nodes.
            usual: block cut that sends the fewest words at this size.
            cuts: search for block cuts at this size.

        Returns:
            The cut, or None if no axis is long enough or `usual` is the same cut.
        """
        if nodes not in self._slabs:
            self._slabs[nodes] = cuts.slabs(nodes, usual)
        division = self._slabs[nodes]
        return None if division is None else cuts.cut_by(nodes, division, "slabs")

    def candidate(self, nodes: int, number: int) -> Candidate:
        """Return one of the stored cuts at the largest size, with its figures and messages.

        Args:
            nodes: number of nodes.
            number: index of the cut in the list that `figures` returns.
        """
        assert self._flow is not None and self._cuts is not None
        cut = self._cuts.cut_by(nodes, self._divisions[nodes][number])
        assert cut is not None
        return candidate_of(self._flow, cut)


def extrapolated(
    rows: Sequence[Row], nodes: int, name: str, at: dict[str, int], largest: LargestSize
) -> tuple[list[Row], list[str]]:
    """Extrapolate the figures of a size that was not measured, for one number of nodes.

    Args:
        rows: figures of the measured sizes for this number of nodes.
        nodes: the number of nodes.
        name: parameter that has several measured values.
        at: size to be extrapolated: values of the parameters.
        largest: cuts of the largest measured size.

    Returns:
        A list with the extrapolated row, or an empty list if too few sizes were measured or no function fits; and a
        list of remarks for the user.
    """
    rows = sorted(rows, key=lambda row: row.size[name])
    label = f"{name}={at[name]} on {nodes:,} nodes"
    sets = [[row for row in rows if row.divided[k]] for k in range(len(rows[-1].divided))] if rows else []
    most = max(map(len, sets), default=0)
    if most < 2:
        return [], [
            f"{label}: not extrapolated; at least two measured sizes with {LEAST_PART} elements for each node and the "
            f"same division into blocks are needed (found: {most})"
        ]
    ranked: list[tuple[float, float, int]] = []
    for number, chosen in enumerate(sets):
        if len(chosen) == most:
            figures = [each for row in chosen if (each := row.divided[number])]
            words = words_of_size([row.size[name] for row in chosen], figures, nodes, at[name])
            if words.error <= WORST_FIT:
                ranked.append((max(figures[-1].imbalance, BALANCED), words.run, number))
    row = None
    if ranked:
        number = min(ranked)[2]
        chosen = [_divided_by(each, number) for each in sets[number]]
        if number > 0:
            chosen[-1].candidates[0] = largest.candidate(nodes, number)
        row = scaled_row(chosen, name, at)
    if row is None:
        listed = ", ".join(f"{each.size[name]}: {each.usual.words:,.0f}" for each in rows)
        return [], [f"{label}: not extrapolated, since no function fits the measured words ({listed})"]
    return [row], [f"{label}: extrapolated from two sizes only"] if most < 3 else []


def _divided_by(row: Row, number: int) -> Row:
    """Return a copy of a row whose first candidate has the figures of another cut.

    Args:
        row: the row.
        number: index of the cut in `row.divided`: the cuts that were found at the largest size.
    """
    figures = row.divided[number]
    assert figures is not None
    return replace(row, candidates=[replace(row.candidates[0], figures=figures), *row.candidates[1:]])
