"""Subcommands of ``pysmpi study`` that analyse a study's results."""

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from pysmpi.cli.parser import Parser
from pysmpi.errors import LaunchError
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import counted

if TYPE_CHECKING:
    from pysmpi.study import Study, Table

__all__ = ["ANALYSES", "add_commands", "analyse"]

ANALYSES = {
    "effects": "print how much each factor changes a figure, and which pairs of factors interact",
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
    for name in ("pareto", "search"):
        commands[name].add_argument(
            "--larger-is-better", action="store_true", help="larger values of the figure are better"
        )
    for name, what in (("effects", "a tornado chart"), ("pareto", "all machines, and the front")):
        commands[name].add_argument("--plot", metavar="PICTURE", help=f"{what}: NAME.svg, .png or .pdf")
    for name, what in (("node", "a host"), ("link", "a cable"), ("switch", "a switch")):
        commands["pareto"].add_argument(f"--{name}", type=float, metavar="PRICE", help=f"price of {what}")
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
    from pysmpi.study.campaign import gather
    from pysmpi.study.store import Store

    if arguments.command == "search":
        return _search(arguments, study, results)
    table = gather(study, study.plan(), Store(results))
    if arguments.command == "effects":
        return _effects(arguments, table)
    if arguments.command == "pareto":
        return _pareto(arguments, study, table)
    from pysmpi.study.analysis import plot_metric

    plot_metric(table, arguments.of, arguments.picture, along=arguments.along, by=arguments.by)
    return 0


def _effects(arguments: argparse.Namespace, table: "Table") -> int:
    from pysmpi.study.analysis import interactions, main_effects, plot_tornado

    effects = main_effects(table, arguments.of)
    rows = [["factor", "share", "value", "mean", "points"]]
    for effect in effects:
        for place, (level, mean, count) in enumerate(zip(effect.levels, effect.means, effect.counts, strict=True)):
            head = [effect.factor, f"{effect.share:.1%}"] if place == 0 else ["", ""]
            rows.append([*head, level, f"{mean:.6g}", str(count)])
    known = sum(row["status"] == "done" and row[arguments.of] is not None for row in table)
    over = f" over {known} of {counted(len(table), 'point')}" if known < len(table) else ""
    print(f"means of {arguments.of}{over}, and shares of its variance")
    print("\n".join(aligned(rows, right=[1, 3, 4], indent="  ")))
    together = [each for each in interactions(table, arguments.of)[:_SHOWN] if each.share >= 5e-4]
    if together:
        print("beyond that, two factors together")
        print("\n".join(aligned([[f"{each.share:.1%}", " and ".join(each.factors)] for each in together], indent="  ")))
    if arguments.plot is not None:
        plot_tornado(effects, arguments.of, arguments.plot)
    return 0


def _pareto(arguments: argparse.Namespace, study: "Study", table: "Table") -> int:
    from pysmpi.study.analysis import Prices, pareto_front, plot_pareto
    from pysmpi.study.analysis.pareto import priced

    given = {name: getattr(arguments, name) for name in ("node", "link", "switch")}
    if (arguments.against is None) is all(price is None for price in given.values()):
        raise LaunchError("a cost is required: give --node, --link and --switch, or --against COLUMN")
    for name, price in given.items():
        if price is not None and not 0 <= price < math.inf:
            raise LaunchError(f"option --{name}: {price:g} is not a price (valid: 0 or more)")
    cost = arguments.against or "price"
    if arguments.against is None:
        done = {row["point"] for row in table.done()}
        points = [point for point in study.plan() if point.number in done]  # others may have machines that are none
        prices = Prices(**{name: price or 0.0 for name, price in given.items()})
        costs = priced([point.task for point in points], prices)
        by_point = {point.number: price for point, price in zip(points, costs, strict=True)}
    offers = pareto_front(
        table,
        arguments.of,
        by_point if arguments.against is None else cost,
        larger_is_better=arguments.larger_is_better,
    )
    rows = [["", cost, arguments.of, *table.varied]]
    rows += [
        ["*" if offer.is_best else "", f"{offer.cost:.6g}", f"{offer.figure:.6g}", *map(str, offer.values.values())]
        for offer in offers
    ]
    print("\n".join(aligned(rows, right=[1, 2])))
    if arguments.plot is not None:
        plot_pareto(offers, arguments.of, arguments.plot, cost=cost, larger_is_better=arguments.larger_is_better)
    return 0


def _search(arguments: argparse.Namespace, study: "Study", results: Path) -> int:
    from pysmpi.study.analysis import slowest_within

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
        larger_is_better=arguments.larger_is_better,
    )
    rows = [[parameter, arguments.of]] + [[str(value), f"{figure:.6g}"] for value, figure in found.tried]
    print("\n".join(aligned(rows, right=[1], indent="  ")))
    print(f"{parameter} = {found.value}: {arguments.of} {found.figure:.6g}, at best {found.best:.6g}")
    return 0
