"""Words at a problem size that was not measured, by functions fitted to the words at measured sizes.

A value is sent to all other nodes at most, and each other node sends at most one partial result of a sum. Example:
with 8 objects a node, K-means does not find each of 5 groups on each node, so words grow with the number of objects.
They stop growing when each node has objects of each group. The words are then the values and sums that are sent, times
the number of other nodes. This limit is counted at the measured sizes and extrapolated, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pysmpi.estimates.cut_figures import CutFigures
from pysmpi.formulas.growth.one_parameter import fit_growth

__all__ = ["WORST_FIT", "SizeWords", "words_of_size"]

WORST_FIT = 0.25
"""Largest relative error of fitted functions that are used. The error is that of predicting one measured size from the
others."""

_SMALL = 0.01
"""Largest share of words outside steps (such as time steps) in all words for which they need no function of their own.

If no function fits them exactly, they are then extrapolated in proportion to all words."""


@dataclass(frozen=True)
class SizeWords:
    """Words of a cut at a size that was not measured.

    Attributes:
        step: words of a steady step (such as a time step), or None if no repeated steps were found at some size.
        once: words that are sent outside the steady steps, such as before the first one, or None if `step` is None.
        run: words of the whole run.
        error: largest relative error of the functions that are used in predicting one measured size from the others. If
            words reach the limit of all other nodes, it is at least the share by which they are below this limit at the
            largest measured size.
    """

    step: float | None
    once: float | None
    run: float
    error: float

    @property
    def steady(self) -> float:
        """Words of a steady step, or of the run if no repeated steps were found at some size."""
        return self.run if self.step is None else self.step


def words_of_size(sizes: Sequence[float], figures: Sequence[CutFigures], nodes: int, at: float) -> SizeWords:
    """Return the extrapolated words of a cut at a size that was not measured.

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
    """Extrapolate words to a size, at most to the limit that each value and sum is sent between all nodes.

    Args:
        sizes: measured sizes, in increasing order.
        words: words that are sent at these sizes.
        values: words of the values and sums that are sent at these sizes, each counted once.
        nodes: number of nodes.
        at: size that is wanted.

    Returns:
        The words, and their relative error.
    """
    fit, limit = fit_growth(sizes, words), fit_growth(sizes, values)
    found, most = fit.value(at), (nodes - 1) * limit.value(at)
    if limit.error > WORST_FIT or found <= most:
        return found, fit.error
    return most, max(limit.error, 1 - words[-1] / ((nodes - 1) * values[-1]))
