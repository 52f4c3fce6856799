"""Bisection for the least value of a parameter at which a metric is near its best, such as the slowest network."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pysmpi.errors import StudyError
from pysmpi.study.analysis.column_directions import Direction, direction_of
from pysmpi.study.analysis.factor_effects import figures
from pysmpi.study.factor_levels import Range, Value, levels_of
from pysmpi.study.parameters import flat
from pysmpi.study.study_class import Study

__all__ = ["Search", "slowest_within"]

_UNEVEN = 0.05  # relative; the metric may be this much better at another value than at the parameter's greatest one


@dataclass(frozen=True)
class Search:
    """Result of a search.

    Attributes:
        parameter: name of the varied parameter.
        value: least value of the parameter at which the metric is good enough.
        figure: value of the metric at `value`.
        best: value of the metric at the parameter's greatest value.
        tried: pairs of the parameter's value and the metric, in the order of simulation.
        direction: whether more or less of the metric is better, and how this is known.
    """

    parameter: str
    value: Value
    figure: float
    best: float
    tried: tuple[tuple[Value, float], ...]
    direction: Direction


def slowest_within(
    study: Study,
    parameter: str,
    results: str | os.PathLike[str],
    *,
    metric: str = "simulated_time",
    within: float = 0.05,
    larger_is_better: bool | None = None,
    precision: float = 0.02,
    **options: Any,
) -> Search:
    """Bisect the only factor of a study for the least value at which a metric is good enough.

    The metric must not get worse as the parameter grows. For a list of values, the search needs about log2(length)
    simulations. For a range, it ends when the result is at most `precision` above the least sufficient value.

    Args:
        study: study with one factor: a list of values in increasing order, or a range.
        parameter: name of the factor.
        results: folder of the results; stored points are not simulated again. The study's table is not changed.
        metric: name of the metric.
        within: allowed loss, relative to the metric at the greatest value; 0.05 means 5 %.
        larger_is_better: whether larger values of the metric are better, or None if the program declares it or the
            metric's name says it.
        precision: precision for ranges, relative to the value, or to the greatest value for linear scales.
        options: keyword arguments of `pysmpi.study.study_run.run`.

    Raises:
        StudyError: if the study has other factors, a simulation fails, it is unknown whether more of the metric is
            better, or the metric is clearly better at another value than at the greatest one.
    """
    factors = flat(study.factors)
    if list(factors) != [parameter]:
        raise StudyError(f"the study must have {parameter} as its only factor, but has {', '.join(factors) or 'none'}")
    tried: dict[Value, float] = {}
    directions: list[Direction] = []

    def figure(value: Value) -> float:
        if value not in tried:
            fixed = {**flat(study.fixed), parameter: value}
            point = replace(study, factors={}, fixed=fixed, design="crossed", samples=None)
            table = point.run(results, keeps_table=False, **options)
            if len(table.done()) < len(table):
                row = next(row for row in table if row["status"] != "done")
                raise StudyError(f"{parameter} = {value}: {row['error']}")
            values = figures(table, metric)[1]
            directions.append(direction_of(table, metric, larger_is_better))
            tried[value] = sum(values) / len(values)
        return tried[value]

    levels = levels_of(factors[parameter])
    last = levels.at(1.0) if isinstance(levels, Range) else levels[-1]
    best = figure(last)

    def worse_by(value: Value) -> float:
        return (best - figure(value)) * (1 if directions[0].more else -1)

    def is_good(value: Value) -> bool:
        if worse_by(value) < -max(within, _UNEVEN) * abs(best):
            raise StudyError(
                f"{metric} is better with {parameter} = {value} ({figure(value):.6g}) than with {last} ({best:.6g}): "
                "bisection needs values in order from worst to best"
            )
        return worse_by(value) <= within * abs(best)

    if isinstance(levels, Range):
        value = _least_of_range(levels, is_good, precision)
    else:
        low, high = 0, len(levels) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if is_good(levels[middle]) else (middle + 1, high)
        value = levels[high]
    return Search(parameter, value, figure(value), best, tuple(tried.items()), directions[0])


def _least_of_range(levels: Range, is_good: Callable[[Value], bool], precision: float) -> Value:
    if is_good(levels.at(0.0)):
        return levels.at(0.0)
    low, high = 0.0, 1.0
    if levels.logarithmic:
        step = math.log1p(precision) / math.log(levels.high / levels.low)
    else:
        step = precision * max(abs(levels.low), abs(levels.high)) / (levels.high - levels.low)
    while high - low > step:
        middle = (low + high) / 2
        low, high = (low, middle) if is_good(levels.at(middle)) else (middle, high)
    return levels.at(high)
