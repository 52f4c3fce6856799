"""Words at a size that was not measured, by functions fitted to those at measured sizes.

A value goes to at most all other nodes, and each other node sends at most one partial result of a sum. Example: with 8
objects a node, K-means does not find each of 5 groups on each node, so the words still grow with the number of objects.
They stop when each node has a part of each group, which is where the values that are sent, times the other nodes, limit
them. Values and sums are counted at all sizes, so this limit is known for others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pysmpi.estimates.cut_figures import CutFigures
from pysmpi.formulas.growth.one_parameter import fit_growth

__all__ = ["WORST_FIT", "SizeWords", "words_of_size"]

WORST_FIT = 0.25
"""Largest error of predicting a measurement from the others, as a share of it, of a fit that is used."""

_SMALL = 0.01
"""Share of a run's words below which words that are sent once, and follow no function, keep their share."""


@dataclass(frozen=True)
class SizeWords:
    """Words of a cut at a size that was not measured.

    Attributes:
        step: words of a steady step, or None if no period was found at some size.
        once: words that are sent once in the run, or None.
        run: words of the whole run.
        error: relative error of predicting a measured size from the others. Where the limit is smaller than the
            function, it is that of the limit, and at least the share by which the largest size is below its limit.
    """

    step: float | None
    once: float | None
    run: float
    error: float

    @property
    def steady(self) -> float:
        """Words of a step, or of the run if no period was found."""
        return self.run if self.step is None else self.step


def words_of_size(sizes: Sequence[float], figures: Sequence[CutFigures], nodes: int, at: float) -> SizeWords:
    """Return the words of a cut at a size.

    Args:
        sizes: measured sizes, in increasing order.
        figures: figures of the cut at these sizes.
        nodes: number of nodes.
        at: size that is wanted.
    """
    run, run_error = _limited(sizes, [each.run for each in figures], [each.run_values for each in figures], nodes, at)
    steps = [each.step for each in figures if each.step is not None]
    parts = [each.once for each in figures if each.once is not None]
    if len(steps) < len(figures) or len(parts) < len(figures):
        return SizeWords(None, None, run, run_error)
    step, step_error = _limited(sizes, steps, [each.values for each in figures], nodes, at)
    once = fit_growth(sizes, parts)
    if once.error > 0 and all(part <= _SMALL * each.run for part, each in zip(parts, figures, strict=True)):
        return SizeWords(step, run * parts[-1] / figures[-1].run, run, max(run_error, step_error))
    return SizeWords(step, once.value(at), run, max(run_error, step_error, once.error))


def _limited(
    sizes: Sequence[float], words: Sequence[float], values: Sequence[float], nodes: int, at: float
) -> tuple[float, float]:
    """Return words, limited by the values that are sent times the other nodes, and their error."""
    fit, limit = fit_growth(sizes, words), fit_growth(sizes, values)
    found, most = fit.value(at), (nodes - 1) * limit.value(at)
    if limit.error > WORST_FIT or found <= most:
        return found, fit.error
    return most, max(limit.error, 1 - words[-1] / ((nodes - 1) * values[-1]))
