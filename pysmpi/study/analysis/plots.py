"""Plots of a study's results; the title of each plot says what it shows."""

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from pysmpi.errors import StudyError
from pysmpi.study.analysis.column_directions import Direction, find_direction
from pysmpi.study.analysis.factor_effects import Effect, figures
from pysmpi.study.analysis.order import number_of, sort_key
from pysmpi.study.analysis.pareto import Offer
from pysmpi.study.results_table import Cell, Table
from pysmpi.util.pictures import COLOURS, INK, finish, is_wide, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_effects", "plot_metric", "plot_pareto", "plot_tornado"]

_FAINT = "#b9c2cc"
_BLUE, _YELLOW = COLOURS[:2]
_UNITS = {"simulated_time": "simulated time (s)", "energy": "energy of hosts (J)", "link_energy": "energy of links (J)",
          "metric.hpl_gflops": "Gflop/s", "metric.hpl_seconds": "Linpack's time (s)"}  # fmt: skip

Path = str | os.PathLike[str]


def plot_tornado(
    effects: Sequence[Effect],
    metric: str,
    path: Path,
    without_effect: Collection[str] = (),
    direction: Direction | None = None,
) -> None:
    """Draw a bar for each factor, from the least to the greatest mean of the metric at its values, the widest bar on
    top.

    Factors in `without_effect` (see `factors_without_effect`) are labelled "no effect". The axis says whether more or
    less is better, if `direction` is given.

    Raises:
        StudyError: if there are no effects.
        LaunchError: if the suffix is not a known format, matplotlib is missing, or the file cannot be written.
    """
    _check_any(effects)
    shown = sorted(effects, key=lambda effect: effect.swing)
    figure = new_figure(8.0, 1.5 + 0.62 * len(shown))
    axes = _axes(figure.subplots(), f"What {_short(metric)} depends on")
    middles = [sum(m * n for m, n in zip(e.means, e.counts, strict=True)) / sum(e.counts) for e in shown]
    middle = sum(middles) / len(middles)
    least, most = min(min(e.means) for e in shown), max(max(e.means) for e in shown)
    room = 0.3 * ((most - least) or abs(middle) or 1.0)  # space for the labels beside the bars
    for place, effect in enumerate(shown):
        low, high = min(effect.means), max(effect.means)
        axes.barh(place, low - middle, left=middle, color=_BLUE, height=0.55)
        axes.barh(place, high - middle, left=middle, color=_YELLOW, height=0.55)
        for mean, align, step in ((low, "right", -1), (high, "left", 1)):
            text = f"{effect.levels[effect.means.index(mean)]}"
            axes.annotate(text, (mean, place), (5 * step, 0), textcoords="offset points", ha=align, va="center",
                          fontsize=9, color=INK)  # fmt: skip
    names = []
    for effect in shown:
        share = "no effect" if effect.factor in without_effect else f"{effect.share:.0%} of the variance"
        names.append(f"{_short(effect.factor)}\n{share}")
    axes.set_yticks(range(len(shown)), names, fontsize=9)
    axes.axvline(middle, color=INK, linewidth=1)
    axes.set_xlim(least - room, most + room)
    axes.set_xlabel(
        f"{_unit(metric)}{_in_brackets(direction)}: mean of all points (line), and of those with each factor's value",
        fontsize=9,
    )
    save(figure, path)


def plot_effects(effects: Sequence[Effect], metric: str, path: Path) -> None:
    """Draw a panel for each factor, with the mean of the metric at each of its values.

    Raises:
        StudyError: if there are no effects.
        LaunchError: as for `plot_tornado`.
    """
    _check_any(effects)
    columns = min(4, len(effects))
    rows = -(-len(effects) // columns)
    figure = new_figure(2.2 + 2.4 * columns, 0.9 + 2.6 * rows)
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for panel, effect in zip(panels.flat, effects, strict=False):
        axes = _axes(panel, f"{_short(effect.factor)} ({effect.share:.0%})")
        axes.plot(range(len(effect.means)), effect.means, color=_BLUE, marker="o", linewidth=2, clip_on=False)
        slanted = sum(map(len, effect.levels)) > 18
        axes.set_xticks(range(len(effect.levels)), effect.levels, fontsize=8, rotation=40 if slanted else 0,
                        ha="right" if slanted else "center")  # fmt: skip
        axes.grid(axis="y", color="#eeeeee")
        axes.set_xlim(-0.3, len(effect.levels) - 0.7)
    for panel in list(panels.flat)[len(effects) :]:
        panel.set_visible(False)
    for row in panels:
        row[0].set_ylabel(_unit(metric), fontsize=9)
    figure.suptitle(f"Mean {_short(metric)} by factor (share of the variance)", x=0.01, ha="left", fontsize=12)
    save(figure, path)


def plot_pareto(
    offers: Sequence[Offer], metric: str, path: Path, *, cost: str = "price", larger_is_better: bool | None = None
) -> None:
    """Draw a dot for each machine by cost and metric; machines on the Pareto front are joined and labelled.

    The axis says whether more or less is better, if `larger_is_better` is given.

    Raises:
        StudyError: if there are no offers.
        LaunchError: as for `plot_tornado`.
    """
    _check_any(offers)
    figure = new_figure(8.5, 5.5)
    axes = _axes(figure.subplots(), f"Machines that no other beats in {_short(metric)} and {cost}")
    from matplotlib.lines import Line2D
    from matplotlib.ticker import EngFormatter

    others = [offer for offer in offers if not offer.is_best]
    front = [offer for offer in offers if offer.is_best]
    axes.scatter([each.cost for each in others], [each.figure for each in others], color=_FAINT, s=30)
    axes.step([each.cost for each in front], [each.figure for each in front], where="post", color=_BLUE, linewidth=1.2)
    axes.scatter([each.cost for each in front], [each.figure for each in front], color=_BLUE, s=46, zorder=3)
    for number, offer in enumerate(front, 1):
        axes.annotate(str(number), (offer.cost, offer.figure), (-5, 6 if larger_is_better else -12),
                      textcoords="offset points", ha="right", fontsize=9, fontweight="bold", color=_BLUE)  # fmt: skip
    names = _named(front)
    figure.legend([Line2D([], [], linestyle="") for _ in names], names, loc="outside lower left", fontsize=8,
                  frameon=False, handlelength=0, ncols=2 if len(names) > 3 else 1)  # fmt: skip
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(EngFormatter())
    if is_wide(offer.figure for offer in offers):
        axes.set_yscale("log")
    axes.set_xlabel(_unit(cost), fontsize=9)
    direction = None if larger_is_better is None else Direction(larger_is_better)
    axes.set_ylabel(f"{_unit(metric)}{_in_brackets(direction)}", fontsize=9)
    axes.margins(x=0.12, y=0.1)
    axes.grid(color="#eeeeee")
    save(figure, path)


def plot_metric(table: Table, metric: str, path: Path, *, along: str, by: str | None = None) -> None:
    """Plot a metric against a factor, with a line per value of another factor and a band that shows the replicates.

    Args:
        table: table of the study.
        metric: name of the metric.
        path: path of the plot.
        along: factor on the horizontal axis.
        by: factor with one line per value, or None for a single line.

    Raises:
        StudyError: if the metric or a factor does not exist.
        LaunchError: as for `plot_tornado`.
    """
    for name in (along, by):
        if name is not None:
            table.column(name)
    rows, values = figures(table, metric)
    if not rows:
        raise StudyError(f"no finished point has a value of the metric {metric}")
    places, is_log = _places({row[along] for row in rows})
    figure = new_figure(8.0, 4.8)
    axes = _axes(figure.subplots(), f"{_short(metric)} by {_short(along)}")
    lines = sorted({None if by is None else row[by] for row in rows}, key=sort_key)
    for number, line in enumerate(lines):
        at: dict[Cell, list[float]] = {}
        for row, value in zip(rows, values, strict=True):
            if by is None or row[by] == line:
                at.setdefault(row[along], []).append(value)
        colour = COLOURS[number % len(COLOURS)]
        _draw_line(axes, [(place, at[cell]) for cell, place in places.items() if cell in at], colour, str(line))
    if by is not None:
        axes.legend(title=_short(by), fontsize=9, title_fontsize=9, frameon=False)
    if is_log:
        axes.set_xscale("log")
    axes.set_xticks(list(places.values()), [str(cell) for cell in places], fontsize=8)
    axes.minorticks_off()
    if is_wide(values):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0 if min(values) >= 0 else None)
    axes.set_xlabel(_short(along), fontsize=9)
    axes.set_ylabel(
        f"{_unit(metric)}{_in_brackets(find_direction(table, metric))}: mean, least and greatest", fontsize=9
    )
    axes.grid(axis="y", color="#eeeeee")
    save(figure, path)


def _places(cells: set[Cell]) -> tuple[dict[Cell, float], bool]:
    """Return the horizontal coordinates of a factor's values, in order, and whether the axis is logarithmic.

    If all values are numbers above 0, they stand at their values; otherwise they stand at equal distances.
    """
    order = sorted(cells, key=sort_key)
    numbers = {cell: number for cell in order if (number := number_of(cell)) is not None and number > 0}
    if len(numbers) < len(order):
        return {cell: float(place) for place, cell in enumerate(order)}, False
    return numbers, is_wide(numbers.values())


def _draw_line(axes: "Axes", replicates: Sequence[tuple[float, list[float]]], colour: str, label: str) -> None:
    """Draw a line through the means of replicates, and a band from their least to their greatest values.

    Args:
        axes: axes to draw on.
        replicates: pairs of a horizontal coordinate and the metric in each replicate.
        colour: colour of line and band.
        label: entry of the legend.
    """
    places = [place for place, _ in replicates]
    least, greatest = [min(each) for _, each in replicates], [max(each) for _, each in replicates]
    axes.fill_between(places, least, greatest, color=colour, alpha=0.18, linewidth=0)
    means = [sum(each) / len(each) for _, each in replicates]
    axes.plot(places, means, color=colour, marker="o", linewidth=2, label=label)


def _check_any(shown: Sequence[object]) -> None:
    if not shown:
        raise StudyError("nothing to draw: the analysis has no results")


def _named(front: Sequence[Offer]) -> list[str]:
    """Return the legend's lines: one per machine on the Pareto front, and one with the values that all of them
    share."""
    values = [offer.values for offer in front]
    same = {name: value for name, value in values[0].items() if all(each[name] == value for each in values[1:])}
    same = same if len(front) > 1 else {}
    lines = [f"{number}  {_listed(each, same) or 'the only one'}" for number, each in enumerate(values, 1)]
    if same:
        lines.append(f"all: {_listed(same, {})}")
    return lines


def _listed(values: Mapping[str, Cell], left_out: Mapping[str, Cell]) -> str:
    return ", ".join(f"{_short(name)} {value}" for name, value in values.items() if name not in left_out)


def _axes(axes: "Axes", title: str) -> "Axes":
    finish(axes, title[0].upper() + title[1:], size=11, colour=INK, numbers=8)
    return axes


def _short(name: str) -> str:
    """Return the short name of a column for plots, without its group: ``metric.left.slowdown`` becomes
    ``left.slowdown``."""
    group, _, rest = name.partition(".")
    return (rest or group).replace("_", " ") if name not in _UNITS else _UNITS[name].partition(" (")[0]


def _in_brackets(direction: Direction | None) -> str:
    return "" if direction is None else f" ({direction})"


def _unit(metric: str) -> str:
    return _UNITS.get(metric, _short(metric))
