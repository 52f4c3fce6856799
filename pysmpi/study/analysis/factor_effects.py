"""Effects of a study's factors (varied parameters) on a metric: main effects, and interactions of two factors.

A main effect is the difference between the metric's mean over all points (simulations of the study) with one value of a
factor and its mean over all points. A factor's share is its part of the sum of squares (D. Montgomery, "Design and
Analysis of Experiments", chapter 5). In crossed designs, where all combinations of values occur equally often, shares
of different effects can be added. In samples this holds only roughly.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pysmpi.errors import StudyError, unknown
from pysmpi.study.analysis.column_directions import Direction
from pysmpi.study.analysis.order import sort_key
from pysmpi.study.results_table import Cell, Table

__all__ = ["Effect", "Interaction", "figures", "interactions", "main_effects"]

_MOST_VALUES = 12  # values of a factor that are shown one by one; more values are grouped
_GROUPS = 4
_ROUNDING = 1e-12  # relative; smaller variations of a metric are rounding errors


@dataclass(frozen=True)
class Effect:
    """Effect of one factor on a metric.

    Attributes:
        factor: name of the factor.
        levels: the factor's values in order, or groups of them such as "1 to 4".
        means: mean of the metric for each level.
        counts: number of points (simulations) with each level.
        share: part of the metric's variance between points that the factor explains, 0 to 1.
    """

    factor: str
    levels: tuple[str, ...]
    means: tuple[float, ...]
    counts: tuple[int, ...]
    share: float

    @property
    def swing(self) -> float:
        """Difference between the greatest and the least of the levels' means."""
        return max(self.means) - min(self.means)

    def best(self, direction: Direction) -> float:
        """Return the best of the levels' means: the greatest if more of the metric is better, else the least."""
        return max(self.means) if direction.more else min(self.means)


@dataclass(frozen=True)
class Interaction:
    """Joint effect of two factors beyond the sum of their main effects.

    Attributes:
        factors: names of the factors.
        share: part of the metric's variance between points (simulations) that the interaction explains, 0 to 1.
    """

    factors: tuple[str, str]
    share: float


def main_effects(table: Table, metric: str) -> list[Effect]:
    """Return the effect of each factor, greatest share first.

    Raises:
        StudyError: if the metric does not exist, or no factor has several values.
    """
    values, labels, order = _prepared(table, metric)
    whole = _variation(values)
    effects = []
    for factor, of_factor in labels.items():
        means = [float(values[of_factor == index].mean()) for index in range(len(order[factor]))]
        counts = [int((of_factor == index).sum()) for index in range(len(order[factor]))]
        share = 1 - _squares(values, of_factor) / whole if whole > 0 else 0.0
        effects.append(Effect(factor, tuple(order[factor]), tuple(means), tuple(counts), share))
    return sorted(effects, key=lambda effect: -effect.share)


def interactions(table: Table, metric: str) -> list[Interaction]:
    """Return the interaction of each pair of factors, greatest share first.

    Raises:
        StudyError: as for `main_effects`.
    """
    values, labels, order = _prepared(table, metric)
    whole = _variation(values)
    found = []
    for first, second in itertools.combinations(labels, 2):
        cells = labels[first] * len(order[second]) + labels[second]
        together = whole - _squares(values, cells)
        alone = sum(whole - _squares(values, labels[each]) for each in (first, second))
        found.append(Interaction((first, second), max(0.0, together - alone) / whole if whole > 0 else 0.0))
    return sorted(found, key=lambda interaction: -interaction.share)


def figures(table: Table, metric: str) -> tuple[list[Mapping[str, Cell]], list[float]]:
    """Return the rows of finished points that have a value of the metric, and these values.

    Raises:
        StudyError: if the metric does not exist, has a value that is not a finite number, or has no value in any point.
    """
    done = table.done()
    if not done.rows:
        raise StudyError("the study has no finished point yet")
    if metric not in done.columns:
        raise StudyError(unknown("metric", metric, done.metrics))
    rows = [row for row in done if row[metric] is not None]
    found = []
    for row in rows:
        value = row[metric]
        if not isinstance(value, int | float):
            raise StudyError(f"{metric} of point {row['point']} is {value!r}, not a number")
        if not math.isfinite(value):
            raise StudyError(f"{metric} of point {row['point']} is {value!r:.40}, not a finite number")
        found.append(float(value))
    if not rows:
        raise StudyError(f"no finished point has a value of the metric {metric}")
    return rows, found


Labels = dict[str, "np.ndarray[tuple[int], np.dtype[np.int_]]"]


def _prepared(
    table: Table, metric: str
) -> "tuple[np.ndarray[tuple[int], np.dtype[np.float64]], Labels, dict[str, list[str]]]":
    """Return the data from which effects are computed.

    They are the metric of each point; for each factor, the index of each point's level (a value or a group of values);
    and for each factor, the names of its levels.
    """
    rows, found = figures(table, metric)
    labels: Labels = {}
    order: dict[str, list[str]] = {}
    for factor in table.varied:
        cells = [row[factor] for row in rows]
        distinct = sorted(set(cells), key=sort_key)
        if len(distinct) < 2:
            continue
        groups: Sequence[Sequence[Cell]] = [[cell] for cell in distinct]
        if len(distinct) > _MOST_VALUES:
            bounds = [round(place * len(distinct) / _GROUPS) for place in range(_GROUPS + 1)]
            groups = [distinct[low:high] for low, high in itertools.pairwise(bounds)]
        number = {cell: index for index, group in enumerate(groups) for cell in group}
        labels[factor] = np.array([number[cell] for cell in cells])
        order[factor] = [str(group[0]) if len(group) == 1 else f"{group[0]} to {group[-1]}" for group in groups]
    if not labels:
        raise StudyError("no factor has several values among the finished points")
    return np.array(found), labels, order


def _variation(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    """Return the sum of squared deviations from the mean, or 0 if the values differ only by rounding."""
    if float(np.ptp(values)) <= _ROUNDING * float(np.abs(values).max()):
        return 0.0
    return _squares(values, np.zeros(len(values), int))


def _squares(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]", groups: "np.ndarray[tuple[int], np.dtype[np.int_]]"
) -> float:
    """Return the sum of squared differences between each value and the mean of its group."""
    counts = np.bincount(groups)
    means = np.bincount(groups, values) / np.maximum(counts, 1)
    return float(((values - means[groups]) ** 2).sum())
