"""Effects of factors on a figure: main effects, and interactions of two.

A main effect is what the mean over all points with a value of a factor differs by from the mean over all; the share is
the factor's part of the sum of squares (D. Montgomery, "Design and Analysis of Experiments", chapter 5). The sums add
up in crossed designs, where every value meets every other as often; in samples they do so roughly.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pysmpi.errors import StudyError, unknown
from pysmpi.study.analysis.order import sort_key
from pysmpi.study.table import Cell, Table

__all__ = ["Effect", "Interaction", "figures", "interactions", "main_effects"]

_MOST_VALUES = 12  # of a factor that are told one by one; more are told in groups
_GROUPS = 4
_ROUNDING = 1e-12  # of a figure that is the same everywhere


@dataclass(frozen=True)
class Effect:
    """What a factor does.

    Attributes:
        factor: its name.
        levels: its values, in order, or groups of them ("1 to 4").
        means: of the figure, over the points with each.
        counts: how many points that are.
        share: of the variance between points, 0 to 1.
    """

    factor: str
    levels: tuple[str, ...]
    means: tuple[float, ...]
    counts: tuple[int, ...]
    share: float

    @property
    def swing(self) -> float:
        """From the least mean to the greatest."""
        return max(self.means) - min(self.means)


@dataclass(frozen=True)
class Interaction:
    """What two factors do together beyond what each does alone.

    Attributes:
        factors: their names.
        share: of the variance between points, 0 to 1.
    """

    factors: tuple[str, str]
    share: float


def main_effects(table: Table, metric: str) -> list[Effect]:
    """The effect of each factor, the greatest share first.

    Raises:
        StudyError: there is no such figure, or nothing to compare.
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
    """The interaction of each two factors, the greatest share first.

    Raises:
        StudyError: as `main_effects`.
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
    """The rows that have a figure, and the figure in each.

    Raises:
        StudyError: there is none of that name, it is no number, or no point has it.
    """
    done = table.done()
    if not done.rows:
        raise StudyError("no point is done yet")
    if metric not in done.columns:
        raise StudyError(unknown("figure", metric, done.metrics))
    rows = [row for row in done if row[metric] is not None]
    found = []
    for row in rows:
        value = row[metric]
        if not isinstance(value, int | float):
            raise StudyError(f"{metric} is {value!r} in point {row['point']}, which is no number")
        if not math.isfinite(value):
            raise StudyError(f"{metric} is {value!r:.40} in point {row['point']}, which is no finite number")
        found.append(float(value))
    if not rows:
        raise StudyError(f"no point has {metric}")
    return rows, found


Labels = dict[str, "np.ndarray[tuple[int], np.dtype[np.int_]]"]


def _prepared(
    table: Table, metric: str
) -> "tuple[np.ndarray[tuple[int], np.dtype[np.float64]], Labels, dict[str, list[str]]]":
    """The figure of each point, and by factor the number of its value in each point, and what these are called."""
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
        raise StudyError("no factor has several values among the points that are done")
    return np.array(found), labels, order


def _variation(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    """The sum of squares of what values differ by from their mean; 0 where that is no more than rounding."""
    if float(np.ptp(values)) <= _ROUNDING * float(np.abs(values).max()):
        return 0.0
    return _squares(values, np.zeros(len(values), int))


def _squares(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]", groups: "np.ndarray[tuple[int], np.dtype[np.int_]]"
) -> float:
    """The sum of squares of what values differ by from their group's mean."""
    counts = np.bincount(groups)
    means = np.bincount(groups, values) / np.maximum(counts, 1)
    return float(((values - means[groups]) ** 2).sum())
