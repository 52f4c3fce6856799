"""Pictures of the study's figures, drawn from stored points. What is not stored is left out, and named."""

import pathlib
from typing import TYPE_CHECKING

import numpy as np
from catalogue import FIGURES, Curve, Figure
from partition import touching
from points import BINS, GRID, Point, split
from results import Outcome, Results

from pysmpi.util.pictures import new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = ("#1f5f99", "#c9822b", "#2a7f62", "#b0413e", "#7a5aa6", "#4a4a4a")
MARKERS = "osD^vP"
INK, FAINT = "#222222", "#e6e6e6"
ALLREDUCES = 50
"""Allreduces of a time step, as in figure 10 of the original."""
RANKS = (*(number * 10**power for power in (2, 3, 4, 5) for number in (1, 3)), 10**6)
"""Numbers of ranks that a complete figure has."""


def draw(name: str, results: Results, model: str, folder: pathlib.Path, ending: str) -> list[str]:
    """Draw a figure into a folder, as svg, png or pdf.

    Returns:
        The path of the picture, and a line for each curve with points that are not stored.
    """
    figure = FIGURES[name]
    height = 7.0 if figure.kind == "pairs" else 4.8
    picture = new_figure(7.2, height)
    absent: list[str] = []
    if figure.kind == "partners":
        _partners(picture.subplots())
    elif figure.kind == "pairs":
        absent = _pairs(picture, figure, results, model)
    else:
        drawers = {"times": _times, "delays": _delays, "radices": _radices}
        absent = drawers[figure.kind](picture.subplots(), figure, results, model)
    picture.suptitle(f"{name}: {figure.title}" + ("" if model == "packets" else f" ({model})"), fontsize=10, color=INK)
    target = folder / f"figure_{name}.{ending}"
    save(picture, str(target))
    return [str(target), *(f"  not stored: {text}" for text in absent)]


def seconds_of(outcome: Outcome, which: str = "seconds") -> float | None:
    """Return the seconds of the whole grid, or of `ALLREDUCES` allreduces, or None if the outcome has none."""
    point = Point.stored(outcome)
    repeats = ALLREDUCES if point.pattern == "allreduce" else point.scale
    return None if outcome[which] is None else float(outcome[which] * repeats)


def timed_points(curve: Curve, results: Results, model: str, which: str = "seconds") -> list[tuple[int, float]]:
    """Return the ranks and seconds of a curve, by ranks."""
    best = ((ranks, results.best(curve, ranks, model)) for ranks in results.ranks)
    found = ((ranks, seconds_of(outcome, which)) for ranks, outcome in best if outcome is not None)
    return [(ranks, seconds) for ranks, seconds in found if seconds is not None]


def floor_points(curve: Curve, results: Results) -> list[tuple[int, float]]:
    """Return the ranks and the floors of a curve, by ranks."""
    return timed_points(curve, results, "floors", "floor")


def _times(axes: "Axes", figure: Figure, results: Results, model: str) -> list[str]:
    absent, floors = [], set()
    for number, curve in enumerate(figure.curves):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        rows = timed_points(curve, results, model)
        style = "-" if number < len(COLOURS) else ":"
        axes.plot(*(zip(*rows, strict=True) if rows else ([], [])), style, color=colour, marker=marker, markersize=4,
                  linewidth=1.6, label=curve.label)  # fmt: skip
        floor = tuple(floor_points(curve, results))
        if floor and floor not in floors:
            floors.add(floor)
            axes.plot(*zip(*floor, strict=True), "--", color=colour, linewidth=0.9)
        absent += _absent(curve, figure, {ranks for ranks, _ in rows})
    axes.set_yscale("log")
    _rank_axis(axes, figure)
    axes.set_ylabel("seconds", fontsize=9)
    if floors:
        axes.plot([], [], "--", color=INK, linewidth=0.9, label="floor: the busiest cable alone")
    axes.legend(fontsize=7.5, frameon=False)
    return absent


def _absent(curve: Curve, figure: Figure, stored: set[int]) -> list[str]:
    """Return a line about the numbers of ranks that a curve of a complete figure has but for these, or no line."""
    lacking = [f"{ranks:,}" for ranks in RANKS if ranks <= figure.most and ranks not in stored]
    return [f"{curve.label} on {', '.join(lacking)} ranks"] if lacking else []


def _rank_axis(axes: "Axes", figure: Figure) -> None:
    axes.set_xscale("log")
    axes.set_xlim(80, figure.most * 1.25)
    axes.set_xlabel("ranks", fontsize=9)
    axes.grid(color=FAINT)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def _delayed(figure: Figure, results: Results, model: str) -> tuple[list[tuple[str, int, Outcome]], list[str]]:
    """Return label, ranks and outcome of each curve at the largest number of ranks that is stored, and what lacks."""
    found, absent = [], []
    for curve in figure.curves:
        stored = [(ranks, results.get(point)) for ranks in results.ranks for point in curve.points(ranks, model)]
        with_delays = [(ranks, outcome) for ranks, outcome in stored if outcome is not None and outcome.get("delays")]
        if with_delays:
            ranks, outcome = with_delays[-1]
            found.append((curve.label, ranks, outcome))
        if not with_delays or with_delays[-1][0] < figure.most:
            absent.append(f"{curve.label} on {figure.most:,} ranks")
    return found, absent


def _delays(axes: "Axes", figure: Figure, results: Results, model: str) -> list[str]:
    found, absent = _delayed(figure, results, model)
    for number, (label, ranks, outcome) in enumerate(found):
        places = np.arange(len(BINS)) + (number - (len(found) - 1) / 2) * 0.2
        shares = 100 * np.array(outcome["delays"])
        axes.bar(places, shares, 0.2, color=COLOURS[number], label=f"{label}, {ranks:,} ranks")
    names = [f"{begin * 1e6:.0f}-{begin * 1e6 + 10:.0f}" for begin in BINS[:-1]]
    axes.set_xticks(range(len(BINS)), [*names, "> 100"], fontsize=8)
    axes.set_xlabel("delay of a packet in microseconds", fontsize=9)
    axes.set_ylabel("percent of packets", fontsize=9)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=FAINT)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    if found:
        axes.legend(fontsize=8, frameon=False)
    return absent


def _pairs(picture: "Canvas", figure: Figure, results: Results, model: str) -> list[str]:
    from matplotlib.colors import LogNorm

    found, absent = _delayed(figure, results, model)
    panels = picture.subplots(2, 2)
    matrices = [np.array(outcome["pairs"]) * Point.stored(outcome).scale for _, _, outcome in found]
    most = max((float(matrix.max()) for matrix in matrices), default=1.0)
    shown = None
    for axes, (label, ranks, _), matrix in zip(panels.flat, found, matrices, strict=False):
        shown = axes.imshow(np.maximum(matrix, most * 1e-5), norm=LogNorm(most * 1e-5, most), cmap="viridis_r",
                            origin="lower", extent=(0, ranks, 0, ranks))  # fmt: skip
        axes.set_title(f"{label}, {ranks:,} ranks", fontsize=9, color=INK)
        axes.set_xlabel("destination", fontsize=8)
        axes.set_ylabel("source", fontsize=8)
        axes.tick_params(labelsize=7)
    for axes in panels.flat[len(found) :]:
        axes.set_axis_off()
    if shown is not None:
        picture.colorbar(shown, ax=panels, shrink=0.6, label="seconds of delay, summed over packets")
    return absent


def _radices(axes: "Axes", figure: Figure, results: Results, model: str) -> list[str]:
    absent = []
    for number, curve in enumerate(figure.curves):
        rows = [(ranks, results.best(curve, ranks, model)) for ranks in results.ranks]
        found = [(ranks, radix(outcome)) for ranks, outcome in rows if outcome is not None]
        shift = 1.04 ** (number - len(figure.curves) / 2)
        axes.plot([ranks * shift for ranks, _ in found], [k for _, k in found], MARKERS[number], markersize=5,
                  color=COLOURS[number], label=curve.label)  # fmt: skip
        absent += _absent(curve, figure, {ranks for ranks, _ in found})
    _rank_axis(axes, figure)
    axes.set_ylim(0, 33)
    axes.set_yticks([2, 4, 8, 12, 16, 20, 24, 28, 32])
    axes.set_ylabel("radix k with the shortest time", fontsize=9)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    return absent


def radix(outcome: Outcome) -> int:
    """Return the radix of an allreduce by recursive-k."""
    return int(outcome["settings"]["algorithm"].removeprefix("recursive-"))


def _partners(axes: "Axes") -> None:
    """Draw to whom a rank sends if 1,000,000 ranks exchange a halo of width 20."""
    width, (cx, cy) = 20, split("halo", 10**6, GRID)
    reach, middle = 5, (cx // 2, cy // 2)
    cells = np.zeros((2 * reach + 1, 2 * reach + 1))
    for axis, parts in ((1, cx), (0, cy)):
        for _, other, _ in touching(GRID[1 - axis], parts, middle[1 - axis], width):
            place = [reach, reach]
            place[axis] += other - middle[1 - axis]
            cells[tuple(place)] = 1 if axis == 1 else 2
    cells[reach, reach] = 3
    from matplotlib.colors import ListedColormap

    axes.imshow(cells, origin="lower", cmap=ListedColormap(["#f7f7f7", COLOURS[0], COLOURS[1], INK]), vmin=0, vmax=3)
    for row in range(2 * reach + 1):
        for column in range(2 * reach + 1):
            number = (middle[1] + row - reach) * cx + middle[0] + column - reach
            colour = "white" if cells[row, column] else "#888888"
            axes.annotate(f"{number:,}", (column, row), ha="center", va="center", fontsize=5, color=colour)
    axes.set_xticks(range(2 * reach + 1), [str(middle[0] + step) for step in range(-reach, reach + 1)], fontsize=7)
    axes.set_yticks(range(2 * reach + 1), [str(middle[1] + step) for step in range(-reach, reach + 1)], fontsize=7)
    axes.set_xlabel("part of x", fontsize=9)
    axes.set_ylabel("part of y", fontsize=9)
    axes.set_title(f"{cx} × {cy} ranks, w = {width}: the black one sends to the blue ones in the x sweep\n"
                   "and to the orange ones in the y sweep", fontsize=8, color=INK)  # fmt: skip
