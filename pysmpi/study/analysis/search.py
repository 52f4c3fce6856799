"""The slowest network that will do: bisection for the least value of a parameter at which a figure is near its best."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pysmpi.errors import StudyError
from pysmpi.study.analysis.effects import figures
from pysmpi.study.factor_levels import Range, Value, levels_of
from pysmpi.study.parameters import flat
from pysmpi.study.study import Study

__all__ = ["Search", "slowest_within"]

_UNEVEN = 0.05  # of a figure, which it may be better by before the greatest value without anybody's mistake


@dataclass(frozen=True)
class Search:
    """What was found.

    Attributes:
        parameter: what was varied.
        value: the least that will do.
        figure: what it does.
        best: what the greatest value does.
        tried: each value that was simulated, with its figure, in the order of trying.
    """

    parameter: str
    value: Value
    figure: float
    best: float
    tried: tuple[tuple[Value, float], ...]


def slowest_within(
    study: Study,
    parameter: str,
    results: str | os.PathLike[str],
    *,
    metric: str = "simulated_time",
    within: float = 0.05,
    larger_is_better: bool = False,
    precision: float = 0.02,
    **options: Any,
) -> Search:
    """Bisects a factor of a study, of which it is the only one, for the least value that is good enough.

    The figure is taken to become no worse as the parameter grows. Of a list of values the least is found in as many
    simulations as its length has binary digits; of a range, one that is no more than `precision` above the least.

    Args:
        study: with one factor: a list of values from the least to the greatest, or a range.
        parameter: the factor's name.
        results: the folder that keeps results; what is there already is not simulated again. The study's table in it
            stays as it is.
        metric: the figure.
        within: how much worse than the best, that of the greatest value, it may be: 0.05 are 5 %.
        larger_is_better: of the figure.
        precision: of ranges, relative to the value; of ranges with a linear scale, to the greatest value.
        options: as `pysmpi.study.campaign.run` has them.

    Raises:
        StudyError: the study has other factors, a simulation has failed, or a value does much better than the greatest.
    """
    factors = flat(study.factors)
    if list(factors) != [parameter]:
        raise StudyError(f"the study is to have {parameter} as its only factor; it has {', '.join(factors) or 'none'}")
    tried: dict[Value, float] = {}

    def figure(value: Value) -> float:
        if value not in tried:
            fixed = {**flat(study.fixed), parameter: value}
            point = replace(study, factors={}, fixed=fixed, design="crossed", samples=None)
            table = point.run(results, keeps_table=False, **options)
            if len(table.done()) < len(table):
                row = next(row for row in table if row["status"] != "done")
                raise StudyError(f"{parameter} = {value}: {row['error']}")
            values = figures(table, metric)[1]
            tried[value] = sum(values) / len(values)
        return tried[value]

    levels = levels_of(factors[parameter])
    last = levels.at(1.0) if isinstance(levels, Range) else levels[-1]
    best = figure(last)

    def worse_by(value: Value) -> float:
        return (best - figure(value)) * (1 if larger_is_better else -1)

    def is_good(value: Value) -> bool:
        if worse_by(value) < -max(within, _UNEVEN) * abs(best):
            raise StudyError(
                f"{metric} is better with {parameter} = {value} ({figure(value):.6g}) than with {last} ({best:.6g}): "
                "bisection takes values from the worst to the best"
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
    return Search(parameter, value, figure(value), best, tuple(tried.items()))


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
