"""Subcommands of ``pysmpi study`` that analyse a study's results."""

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pysmpi.errors import LaunchError
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser
from pysmpi.util.quantities import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pysmpi.study import Study, Table
    from pysmpi.study.analysis import Direction
    from pysmpi.study.factor_levels import Value
    from pysmpi.study.points import Point

__all__ = ["ANALYSES", "add_commands", "analyse"]

ANALYSES = {
    "effects": "print how much each factor changes a figure, and which pairs of factors interact",
    "spread": "print the median of a figure over the replicates of each point, and an interval for a further one",
    "pareto": "print the machines that no other one beats in both price (or energy) and a figure",
    "search": "find the smallest value of the only factor that is nearly as good as the largest, by bisection",
    "plot": "draw a figure against a factor, with a line for each value of another factor",
}
_SHOWN = 6  # largest number of interactions that are listed


def add_commands(commands: dict[str, Parser]) -> None:
    """Add the options of each analysis to its parser; `commands` maps names of subcommands to parsers."""
    for parser in commands.values():
        parser.add_argument("--of", default="simulated_time", metavar="FIGURE",
                            help="column of the table, such as energy (default %(default)s)")  # fmt: skip
    for name in ("effects", "pareto", "search"):
        commands[name].add_argument(
            "--better", action="append", default=[], metavar="[COLUMN=]DIRECTION",
            help="more or less: which is better for the figure, or for this column (repeatable; default: as the "
            "program declares or the name says)",
        )  # fmt: skip
    for name in ("pareto", "search"):
        commands[name].add_argument(
            "--larger-is-better", dest="better", action="append_const", const="more", help="the same as --better more"
        )
    for name, what in (("effects", "a tornado chart"), ("pareto", "all machines, and the front")):
        commands[name].add_argument("--plot", metavar="PICTURE", help=f"{what}: NAME.svg, .png or .pdf")
    for name, what in (("node", "a host"), ("link", "a cable"), ("switch", "a switch")):
        commands["pareto"].add_argument(f"--{name}", type=float, metavar="PRICE", help=f"price of {what}")
    commands["pareto"].add_argument(
        "--price", action="append", default=[], metavar="FACTOR=VALUE:PRICE",
        help="price of a part with this value of a factor, such as platform.bandwidth=400Gbps:900 for a cable "
        "(repeatable), or FACTOR=free",
    )  # fmt: skip
    commands["pareto"].add_argument(
        "--against", metavar="COLUMN", help="column to use as cost instead of the price, such as energy"
    )
    commands["search"].add_argument("--within", type=float, default=5.0, metavar="PERCENT",
                                    help="accepted difference from the best value (default %(default)g)")  # fmt: skip
    commands["plot"].add_argument("picture", metavar="PICTURE", help="NAME.svg, .png or .pdf")
    commands["plot"].add_argument("--along", required=True, metavar="FACTOR", help="factor on the horizontal axis")
    commands["plot"].add_argument("--by", metavar="FACTOR", help="factor with a line for each value")


def analyse(arguments: argparse.Namespace, study: "Study", results: Path) -> int:
    """Run an analysis and return the exit status."""
    from pysmpi.study.analysis import with_better
    from pysmpi.study.store import Store
    from pysmpi.study.study_run import gather

    if arguments.command == "search":
        return _search(arguments, study, results)
    table = gather(study, study.plan(), Store(results))
    if arguments.command in ("effects", "pareto"):
        table = with_better(table, arguments.better, [arguments.of])
    if arguments.command == "effects":
        return _effects(arguments, study, table, results)
    if arguments.command == "spread":
        return _spread(arguments, table)
    if arguments.command == "pareto":
        return _pareto(arguments, study, table)
    from pysmpi.study.analysis import plot_metric

    plot_metric(table, arguments.of, arguments.picture, along=arguments.along, by=arguments.by)
    return 0


def _effects(arguments: argparse.Namespace, study: "Study", table: "Table", results: Path) -> int:
    from pysmpi.study.analysis import (
        factors_without_effect,
        find_direction,
        interactions,
        main_effects,
        plot_tornado,
    )

    effects = main_effects(table, arguments.of)
    without = factors_without_effect(table, arguments.of)
    direction = find_direction(table, arguments.of)
    rows = [["factor", "share", "value", "mean", "", "points"]]
    for effect in effects:
        for place, (level, mean, count) in enumerate(zip(effect.levels, effect.means, effect.counts, strict=True)):
            share = "no effect" if effect.factor in without else f"{effect.share:.1%}"
            head = [effect.factor, share] if place == 0 else ["", ""]
            best = direction is not None and effect.factor not in without and mean == effect.best(direction)
            rows.append([*head, level, f"{mean:.6g}", "*" if best else "", str(count)])
    known = sum(row["status"] == "done" and row[arguments.of] is not None for row in table)
    over = f" over {known} of {counted(len(table), 'point')}" if known < len(table) else ""
    marked = "" if direction is None else f"; {_said(arguments.of, direction)}, * marks the best value of a factor"
    print(f"means of {arguments.of}{over}, and shares of its variance{marked}")
    print("\n".join(aligned(rows, right=[1, 3, 5], indent="  ")))
    together = [each for each in interactions(table, arguments.of)[:_SHOWN] if each.share >= 5e-4]
    if together:
        print("beyond that, two factors together")
        print("\n".join(aligned([[f"{each.share:.1%}", " and ".join(each.factors)] for each in together], indent="  ")))
    _print_no_effects(study, without, arguments.of, results)
    if arguments.plot is not None:
        plot_tornado(effects, arguments.of, arguments.plot, without, direction)
    return 0


def _said(metric: str, direction: "Direction") -> str:
    """Return a text that says whether more or less of a metric is better, and how this is known."""
    return f"{metric}: {direction}" + (f" ({direction.origin})" if direction.origin else "")


def _spread(arguments: argparse.Namespace, table: "Table") -> int:
    from pysmpi.study.analysis import spreads

    rows = [["replicates", "median", "interval", "", "probability", *table.varied]]
    for each in spreads(table, arguments.of):
        count, probability = len(each.spread.values), each.spread.probability
        interval = each.spread.cells("{:.6g}".format) if count > 1 else (f"{each.spread.median:.6g}", "", "")
        values = [str(value) for value in each.values.values()]
        rows.append([str(count), *interval, f"{probability:.0%}" if count > 1 else "", *values])
    print(f"{arguments.of}: a further replicate lies in the interval with the probability")
    print("\n".join(aligned(rows, right=[0, 1, 4], indent="  ")))
    return 0


def _print_no_effects(study: "Study", factors: "Sequence[str]", figure: str, results: Path) -> None:
    from pysmpi.study.analysis.no_effect import reason_for, unused_inputs

    points = study.plan()
    for factor in factors:
        reason = reason_for(study, factor, points, results) or "no reason is known; check that the program uses it"
        print(f"{factor}: no effect, {figure} is the same to nine digits: {reason}")
    for text in unused_inputs(points, results):
        print(f"no effect: {text}")


def _given_prices(arguments: argparse.Namespace, study: "Study") -> dict[str, float]:
    """Return the prices of nodes, links and switches from the command line.

    Raises:
        LaunchError: neither prices nor --against are given, prices on the command line are combined with --against, or
            a price is not valid.
    """
    named = {name: getattr(arguments, name) for name in ("node", "link", "switch")}
    given = {name: price for name, price in named.items() if price is not None}
    on_line = bool(arguments.price or given)
    if on_line if arguments.against is not None else not (on_line or study.prices):
        raise LaunchError("give one kind of cost: prices (--node, --link, --switch, --price) or --against COLUMN")
    for name, price in given.items():
        if not 0 <= price < math.inf:
            raise LaunchError(f"option --{name}: {price:g} is not a price (valid: 0 or more)")
    return given


def _price_by_point(
    arguments: argparse.Namespace, study: "Study", table: "Table", given: dict[str, float]
) -> dict[int, float]:
    from pysmpi.study.analysis import PriceList, prices_of
    from pysmpi.study.analysis.prices import parse_price

    done = {row["point"] for row in table.done()}
    points = [point for point in study.plan() if point.number in done]  # platforms of others may be invalid
    by_value: dict[str, dict[str, float]] = {}
    free = set()
    for factor, value, price in map(parse_price, arguments.price):
        if value is None:
            free.add(factor)
        else:
            by_value.setdefault(factor, {})[value] = price
    prices = PriceList({**study.prices, **given}, by_value, frozenset(free))
    costs = prices_of(points, study.platform_text, table.varied, prices, study.flat_derived)
    return {point.number: price for point, price in zip(points, costs, strict=True)}


def _pareto(arguments: argparse.Namespace, study: "Study", table: "Table") -> int:
    from pysmpi.study.analysis import direction_of, pareto_front, plot_pareto

    given = _given_prices(arguments, study)
    cost = arguments.against or "price"
    costs = cost if arguments.against is not None else _price_by_point(arguments, study, table, given)
    offers = pareto_front(table, arguments.of, costs)
    direction = direction_of(table, arguments.of)
    compared = [_said(arguments.of, direction)]
    if arguments.against is not None:
        compared.append(_said(cost, direction_of(table, cost)))
    rows = [["", cost, arguments.of, *table.varied]]
    rows += [
        ["*" if offer.is_best else "", f"{offer.cost:.6g}", f"{offer.figure:.6g}", *map(str, offer.values.values())]
        for offer in offers
    ]
    print("\n".join(aligned(rows, right=[1, 2])))
    print(f"{'; '.join(compared)}; * marks the machines that no other beats")
    if arguments.plot is not None:
        plot_pareto(offers, arguments.of, arguments.plot, cost=cost, larger_is_better=direction.more)
    return 0


def _search(arguments: argparse.Namespace, study: "Study", results: Path) -> int:
    from pysmpi.study.analysis import slowest_within
    from pysmpi.study.analysis.no_effect import are_equal, reason_for

    if study.design == "listed" or len(study.levels) != 1:
        given = "a list of points" if study.design == "listed" else ", ".join(study.levels) or "none"
        raise LaunchError(f"search needs a study with one factor; this study has {given}")
    (parameter,) = study.levels
    if not 0 <= arguments.within < math.inf:
        raise LaunchError(f"option --within: {arguments.within:g} is not a percentage (valid: 0 or more)")
    found = slowest_within(
        study,
        parameter,
        results,
        metric=arguments.of,
        within=arguments.within / 100,
        larger_is_better=_of_search(arguments.better, arguments.of),
    )
    rows = [[parameter, arguments.of]] + [[str(value), f"{figure:.6g}"] for value, figure in found.tried]
    print("\n".join(aligned(rows, right=[1], indent="  ")))
    print(_said(arguments.of, found.direction))
    print(f"{parameter} = {found.value}: {arguments.of} {found.figure:.6g}, at best {found.best:.6g}")
    if len(found.tried) > 1 and are_equal([figure for _, figure in found.tried]):
        points = [point for value, _ in found.tried for point in _point_at(study, parameter, value)]
        reason = reason_for(study, parameter, points, results) or "no reason is known; check that the program uses it"
        print(f"{parameter}: no effect, {arguments.of} is the same to nine digits: {reason}")
    return 0


def _of_search(words: "Sequence[str]", metric: str) -> bool | None:
    """Return whether --better says that more of the metric is better, or None if the option is not given."""
    from pysmpi.study.analysis import find_direction, with_better
    from pysmpi.study.results_table import Table

    direction = find_direction(with_better(Table([{metric: None}]), words, [metric]), metric) if words else None
    return None if direction is None else direction.more


def _point_at(study: "Study", parameter: str, value: "Value") -> "list[Point]":
    """Return the points (simulations) of a study in which its only factor has the given value."""
    from pysmpi.study.parameters import flat

    fixed = {**flat(study.fixed), parameter: value}
    return replace(study, factors={}, fixed=fixed, design="crossed", samples=None).plan()
