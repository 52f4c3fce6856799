"""Plots of the study's outcomes. Missing outcomes are omitted."""

import pathlib
from typing import TYPE_CHECKING

import machines
from sweep import GRID, OVERHEADS, RADICES, SMALLER, Point, block_bytes

from pysmpi.util.pictures import new_figure, save
from pysmpi.util.quantities import human_bytes, human_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Outcomes = dict[str, dict[str, float]]

ALGORITHMS = ("two-sided-ring-1", "two-sided-ring-2", "two-sided-ring-4", "two-sided-ring-8", "burst", "bruck")
COLOURS = {"two-sided-ring-1": "#7fb2d9", "two-sided-ring-2": "#4f90c4",
           "two-sided-ring-4": "#1f5f99", "two-sided-ring-8": "#123a60",
           "burst": "#c9822b",
           "bruck": "#8a8a8a"}  # fmt: skip
MACHINES = {"torus": "#2a7f62", "fat tree": "#1f5f99", "dragonfly": "#b0413e"}
INK, FAINT = "#222222", "#e6e6e6"


def draw_all(outcomes: Outcomes, folder: pathlib.Path) -> None:
    """Draw all plots."""
    draw_transpositions(outcomes, folder / "transpositions.svg")
    draw_sizes(outcomes, folder / "sizes.svg")
    draw_radices(outcomes, folder / "radices.svg")
    draw_routings(outcomes, folder / "routings.svg")


def draw_transpositions(outcomes: Outcomes, target: pathlib.Path) -> None:
    """Draw the times of both transpositions of the whole grid by algorithm, with one panel per machine."""
    figure = new_figure(10.0, 4.6)
    panels = figure.subplots(2, 3).flat
    ways = (("torus", 1024, None), ("fat tree", 1024, None), ("fat tree", 2048, None), ("dragonfly", 1024, None),
            ("dragonfly", 1024, "valiant"))  # fmt: skip
    for machine, ranks, routing in ways:
        points = {name: Point(machine, ranks, name, routing=routing) for name in ALGORITHMS}
        times = {name: outcomes[point.key()] for name, point in points.items() if point.key() in outcomes}
        if times:
            axes = next(panels)
            _stacked_bars(axes, times)
            way = f", {routing} routing" if routing else ""
            axes.set_title(f"{machine}{way}, {ranks:,} ranks", loc="left", fontsize=10, color=INK)
    for axes in panels:
        axes.set_axis_off()
    figure.supxlabel("seconds of the first transposition and of the second (lighter)", fontsize=9, color=INK)
    save(figure, str(target))


def _stacked_bars(axes: "Axes", times: Outcomes) -> None:
    for place, (name, outcome) in enumerate(times.items()):
        first, second = outcome.values()
        axes.barh(place, first, color=COLOURS[name], height=0.74)
        axes.barh(place, second, left=first, color=COLOURS[name], alpha=0.55, height=0.74)
        axes.annotate(f" {human_seconds(float(f'{first + second:.3g}'))}", (first + second, place), va="center",
                      fontsize=8, color=INK)  # fmt: skip
    axes.set_yticks(range(len(times)), list(times), fontsize=8)
    axes.set_ylim(len(ALGORITHMS) - 0.4, -0.6)  # equal bar heights in all panels
    axes.set_xlim(0, max(sum(outcome.values()) for outcome in times.values()) * 1.35)
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="x", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def draw_sizes(outcomes: Outcomes, target: pathlib.Path) -> None:
    """Draw the times of both transpositions relative to two-sided-ring-4, over the bytes of a block."""
    grids = [*((x * 32, y * 32, z * 32) for x, y, z in SMALLER), GRID]
    figure = new_figure(7.0, 4.0)
    axes = figure.subplots()
    for name in ("two-sided-ring-1", "two-sided-ring-4", "burst", "bruck"):
        sizes, ratios = [], []
        for grid in grids:
            mine, reference = (Point("fat tree", 1024, other, grid).key() for other in (name, "two-sided-ring-4"))
            if mine in outcomes and reference in outcomes:
                sizes.append(block_bytes(grid, 1024)[0])
                ratios.append(sum(outcomes[mine].values()) / sum(outcomes[reference].values()))
        if sizes:
            axes.plot(sizes, ratios, color=COLOURS[name], linewidth=1.8, marker="o", markersize=4)
            axes.annotate(f"  {name}", (sizes[-1], ratios[-1]), va="center", fontsize=9, color=COLOURS[name],
                          annotation_clip=False)  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    sizes = [block_bytes(grid, 1024)[0] for grid in grids]
    axes.set_xticks(sizes, [human_bytes(size) for size in sizes], fontsize=8)
    ticks = (0.25, 0.5, 1, 2, 4)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
    axes.minorticks_off()
    axes.grid(axis="y", color=FAINT)
    axes.set_xlabel("bytes of a block", fontsize=9)
    axes.set_ylabel("time of both transpositions, two-sided-ring-4 = 1", fontsize=9)
    axes.set_title("fat tree, 1,024 ranks", loc="left", fontsize=10, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, str(target))


def draw_radices(outcomes: Outcomes, target: pathlib.Path) -> None:
    """Draw the times of an allreduce over its radix, and mark the fastest."""
    figure = new_figure(9.5, 4.0)
    panels = figure.subplots(1, 2, sharey=True)
    lines = [(machine, OVERHEADS[0]) for machine in machines.MACHINES] + [("fat tree", OVERHEADS[1])]
    for axes, ranks in zip(panels, (1024, 4096), strict=True):
        for machine, overhead in lines:
            points = {radix: Point(machine, ranks, f"recursive-{radix}", None, overhead=overhead) for radix in RADICES}
            keys = {radix: point.key() for radix, point in points.items()}
            times = {radix: outcomes[key]["allreduce"] * 1e6 for radix, key in keys.items() if key in outcomes}
            if not times:
                continue
            colour, dashes = MACHINES[machine], "-" if overhead == OVERHEADS[0] else "--"
            axes.plot(list(times), list(times.values()), color=colour, linestyle=dashes, linewidth=1.6, marker="o",
                      markersize=4, label=f"{machine}, {overhead * 1e6:g} us a message")  # fmt: skip
            best = min(times, key=lambda radix: times[radix])
            axes.plot(best, times[best], marker="o", markersize=11, markerfacecolor="none", color=colour)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(RADICES, [str(radix) for radix in RADICES], fontsize=8)
        ticks = (5, 10, 20, 40, 80)
        axes.set_yticks(ticks, [str(tick) for tick in ticks], fontsize=8)
        axes.minorticks_off()
        axes.grid(axis="y", color=FAINT)
        axes.set_xlabel("k of recursive-k (circles: the best)", fontsize=9)
        axes.set_title(f"{ranks:,} ranks", loc="left", fontsize=10, color=INK)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("microseconds of an allreduce of 8 bytes", fontsize=9)
    panels[0].legend(fontsize=8, frameon=False, loc="upper left")
    save(figure, str(target))


def draw_routings(outcomes: Outcomes, target: pathlib.Path) -> None:
    """Draw the time under another routing (random or valiant) relative to the time under the machine's default
    routing."""
    kinds = (("two-sided-ring-1", "transpositions, two-sided-ring-1", GRID),
             ("two-sided-ring-4", "transpositions, two-sided-ring-4", GRID),
             ("recursive-4", "allreduce, recursive-4", None))  # fmt: skip
    figure = new_figure(7.0, 2.6)
    axes = figure.subplots()
    labels, places = [], []
    place = 0.0
    for machine, routing in (("fat tree", "random"), ("dragonfly", "valiant")):
        for name, label, grid in kinds:
            keys = [Point(machine, 1024, name, grid, way).key() for way in (None, routing)]
            if not all(key in outcomes for key in keys):
                continue
            first, other = (sum(outcomes[key].values()) for key in keys)
            axes.barh(place, other / first, color=MACHINES[machine], height=0.74)
            axes.annotate(f" {other / first:.2f}", (other / first, place), va="center", fontsize=8, color=INK)
            labels.append(f"{machine}, {routing}: {label}")
            places.append(place)
            place += 1
        place += 0.5
    axes.axvline(1, color=INK, linewidth=0.8)
    axes.set_yticks(places, labels, fontsize=8)
    axes.invert_yaxis()
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel("time, default routing = 1", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, str(target))
