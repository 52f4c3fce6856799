"""Spread of a metric over the replicates of each combination of a study's values: median and interval."""

from collections.abc import Mapping
from dataclasses import dataclass

from pysmpi.study.analysis.factor_effects import figures
from pysmpi.study.results_table import Cell, Table
from pysmpi.util.spread import Spread

__all__ = ["Replicated", "spreads"]


@dataclass(frozen=True)
class Replicated:
    """Replicates of one combination of values, which differ only in their seeds.

    Attributes:
        values: values of the factors.
        spread: the metric in each replicate, with its median and interval.
    """

    values: Mapping[str, Cell]
    spread: Spread


def spreads(table: Table, metric: str) -> list[Replicated]:
    """Return the spread of a metric for each combination of the factors' values, in the order of the study's points.

    Points that have failed, or do not have the metric, are left out.

    Args:
        table: table of the study.
        metric: name of the metric, such as "simulated_time" or "metric.hpl_gflops".

    Raises:
        StudyError: if the metric does not exist, or no point has a value of it.
    """
    together: dict[tuple[Cell, ...], list[float]] = {}
    for row, value in zip(*figures(table, metric), strict=True):
        together.setdefault(tuple(row[name] for name in table.varied), []).append(float(value))
    return [
        Replicated(dict(zip(table.varied, cells, strict=True)), Spread.of(values)) for cells, values in together.items()
    ]
