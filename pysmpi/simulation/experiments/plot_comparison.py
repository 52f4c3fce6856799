"""Plots of algorithm comparisons."""

import os
from typing import TYPE_CHECKING

from pysmpi.util.pictures import COLOURS, INK, finish, new_figure, save
from pysmpi.util.quantities import counted, human_bytes, human_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pysmpi.simulation.experiments.compare_collectives import Comparison

__all__ = ["plot_comparison"]

_SHOWN = 8  # number of lines with their own colour and label
_FAINT = "#c8c8c8"


def plot_comparison(comparison: "Comparison", path: str | os.PathLike[str]) -> None:
    """Draw a comparison of algorithms: bars for one size, lines for several. The file's suffix selects the format.

    Raises:
        LaunchError: if the suffix is not a known format, matplotlib is missing, or the file cannot be written.
    """
    several = len(comparison.sizes) > 1
    bars = len(comparison.algorithms) + len(comparison.selectors)
    figure = new_figure(9.0, 5.5 if several else 1.2 + 0.26 * bars)
    axes = figure.subplots()
    (_lines if several else _bars)(axes, comparison)
    ranks = counted(comparison.ranks, "rank")
    what = "" if several or comparison.operation == "barrier" else f" of {human_bytes(comparison.sizes[0])}"
    finish(axes, f"{comparison.operation}{what} on {ranks}", size=12, colour=INK)
    save(figure, path)


def _bars(axes: "Axes", comparison: "Comparison") -> None:
    trials = sorted((trial for trial in comparison.algorithms if trial.seconds), key=lambda trial: trial.seconds[0])
    selectors = [trial for trial in comparison.selectors if trial.seconds]
    names = [trial.choice for trial in (*trials, *selectors)]
    places = [*range(len(trials)), *(len(trials) + 0.6 + place for place in range(len(selectors)))]
    seconds = [trial.seconds[0] for trial in (*trials, *selectors)]
    colours = [COLOURS[0]] * len(trials) + [COLOURS[1]] * len(selectors)
    axes.barh(places, seconds, color=colours, height=0.72)
    axes.set_yticks(places, names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, max(seconds, default=1.0) * 1.14)
    for place, value in zip(places, seconds, strict=True):
        axes.annotate(f" {human_seconds(float(f'{value:.3g}'))}", (value, place), va="center", fontsize=8, color=INK)
    axes.set_xlabel(
        "seconds until the last rank has finished: algorithms (blue), choices of selectors (yellow)", fontsize=9
    )
    axes.tick_params(axis="x", labelsize=8)
    axes.ticklabel_format(axis="x", style="sci", scilimits=(-3, 3))


def _lines(axes: "Axes", comparison: "Comparison") -> None:
    import matplotlib

    trials = sorted(
        (trial for trial in comparison.algorithms if trial.seconds),
        key=lambda trial: min(value / comparison.fastest(index) for index, value in enumerate(trial.seconds)),
    )
    palette = matplotlib.colormaps["tab10"].colors  # type: ignore[attr-defined]
    sizes = [max(size, 1) for size in comparison.sizes]
    labels = []
    for place, trial in reversed(list(enumerate(trials))):
        named = place < _SHOWN
        colour = palette[place] if named else _FAINT
        axes.plot(sizes, trial.seconds, color=colour, linewidth=1.8 if named else 1.0, marker="o", markersize=3,
                  zorder=2 + named)  # fmt: skip
        if named:
            labels.append((trial.seconds[-1], trial.choice, colour))
    for trial in comparison.selectors:
        if trial.seconds:
            axes.plot(sizes, trial.seconds, color=INK, linewidth=1.2, linestyle=":", zorder=4)
            labels.append((trial.seconds[-1], f"{trial.choice} (selector)", INK))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    _name_lines(axes, sizes[-1], labels)
    axes.set_xticks(sizes, [human_bytes(size) for size in comparison.sizes], fontsize=8)
    axes.minorticks_off()
    axes.set_xlabel("bytes of a rank's buffer, or of one block for operations with one block per rank", fontsize=9)
    axes.set_ylabel("seconds until the last rank has finished", fontsize=9)
    axes.grid(axis="y", color="#eeeeee")


def _name_lines(axes: "Axes", right: float, labels: list[tuple[float, str, object]]) -> None:
    """Label lines at their right ends, with labels moved apart so that they do not overlap."""
    import math

    if not labels:
        return
    bottom, top = (math.log(limit) for limit in axes.get_ylim())
    room = (top - bottom) / 24
    ordered = sorted(labels, key=lambda label: label[0])
    heights: list[float] = []
    for value, _, _ in ordered:
        heights.append(max(math.log(value), heights[-1] + room if heights else bottom))
    limit = top
    for place in reversed(range(len(heights))):
        heights[place] = limit = min(heights[place], limit)
        limit -= room
    for height, (_, name, colour) in zip(heights, ordered, strict=True):
        axes.annotate(f"  {name}", (right, math.exp(height)), annotation_clip=False, va="center", fontsize=8,
                      color=colour)  # fmt: skip
