"""Pareto front of machines by cost and metric: the machines for which no other is at least as good in both and better
in one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pysmpi.errors import StudyError
from pysmpi.platform.platform_parts import parts_of
from pysmpi.study.analysis.column_directions import direction_of
from pysmpi.study.analysis.factor_effects import figures
from pysmpi.study.analysis.prices import Prices
from pysmpi.study.results_table import Cell, Table
from pysmpi.study.task import Task

__all__ = ["Offer", "pareto_front", "priced"]


@dataclass(frozen=True)
class Offer:
    """Machine with its cost and the metric that a program reaches on it.

    Attributes:
        values: values of the factors.
        cost: price or energy of the machine.
        figure: value of the metric, such as the program's time in seconds.
        is_best: whether the offer is on the Pareto front: no other offer is at least as good in cost and metric, and
            better in one of them.
        points: number of points (simulations) whose values were averaged: replicates with other seeds.
    """

    values: Mapping[str, Cell]
    cost: float
    figure: float
    is_best: bool = False
    points: int = 1


def pareto_front(
    table: Table, metric: str, costs: Mapping[int, float] | str = "energy", *, larger_is_better: bool | None = None
) -> list[Offer]:
    """Return the study's machines as offers, the best cost first; `Offer.is_best` marks those on the Pareto front.

    Args:
        table: table of the study; replicates are averaged.
        metric: name of the metric, such as "simulated_time" or "metric.hpl_gflops".
        costs: cost of each point by its number (see `priced`), or the name of a column such as "energy".
        larger_is_better: whether larger values of the metric are better, or None if the program declares it or the
            metric's name says it (`direction_of`). Whether more or less is better in a column of costs always comes
            from `direction_of`.

    Raises:
        StudyError: if the metric or the column of costs does not exist, no point has a value in it, or its direction
            is unknown.
    """
    rows, values = figures(table, metric)
    sign = -1 if direction_of(table, metric, larger_is_better).more else 1
    cost_sign = 1
    if isinstance(costs, str):
        cost_sign = -1 if direction_of(table, costs).more else 1
        column = figures(table, costs)
        costs = {int(str(row["point"])): cost for row, cost in zip(*column, strict=True)}
    together: dict[tuple[Cell, ...], list[tuple[float, float]]] = {}
    for row, value in zip(rows, values, strict=True):
        if (number := int(str(row["point"]))) in costs:
            together.setdefault(tuple(row[name] for name in table.varied), []).append((costs[number], value))
    if not together:
        raise StudyError("no point has both a cost and a value of the metric")
    offers = []
    for cells, pairs in together.items():
        cost, figure = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        offers.append(Offer(dict(zip(table.varied, cells, strict=True)), cost, figure, points=len(pairs)))
    offers.sort(key=lambda offer: (cost_sign * offer.cost, sign * offer.figure))
    best: Offer | None = None
    marked = []
    for offer in offers:
        is_best = best is None or sign * offer.figure < sign * best.figure
        best = offer if is_best or best is None else best
        equal = (offer.cost, offer.figure) == (best.cost, best.figure)  # equal offers do not beat each other
        marked.append(replace(offer, is_best=is_best or equal))
    return marked


def priced(tasks: Sequence[Task], prices: Prices) -> list[float]:
    """Return the price of the machine of each task (the inputs of one simulation).

    Raises:
        PlatformError: if a platform is malformed, or its parts cannot be counted.
    """
    from pysmpi.study.point_platform import machine_of

    known: dict[str, float] = {}
    for task in tasks:
        if task.platform not in known:
            with machine_of(task) as machine:
                known[task.platform] = prices.of(parts_of(machine))
    return [known[task.platform] for task in tasks]
