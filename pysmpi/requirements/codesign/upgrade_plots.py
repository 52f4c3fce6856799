"""Bar charts that compare upgrades of a machine, and systems."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pysmpi.requirements.codesign.filling import Point
from pysmpi.requirements.codesign.systems import System
from pysmpi.util.pictures import COLOURS, INK, finish, is_wide, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_systems", "plot_upgrades"]

Path = str | os.PathLike[str]


def plot_upgrades(ratios: Mapping[str, Mapping[str, Mapping[str, float | None]]], path: Path) -> None:
    """Draw a panel for each model: for each upgrade, a bar for each ratio.

    Args:
        ratios: ratios by model, upgrade and requirement; an upgrade without ratios does not fit.
        path: path of the picture.

    Raises:
        LaunchError: the ending is not a known format, matplotlib is missing, or the file cannot be written.
    """
    figure = new_figure(9.0, 0.8 + 2.6 * len(ratios))
    for axes, (model, upgrades) in zip(figure.subplots(len(ratios), squeeze=False).flat, ratios.items(), strict=True):
        names = list(dict.fromkeys(name for each in upgrades.values() for name in each))
        series = {name: [upgrade.get(name) for upgrade in upgrades.values()] for name in names}
        _bars(axes, list(upgrades), series, [not each for each in upgrades.values()])
        axes.axhline(1, color=INK, linewidth=0.8)
        axes.set_title(f"{model}: multiples of the base machine's requirements", loc="left", fontsize=11, color=INK)
    save(figure, path)


def plot_systems(points: Mapping[str, Mapping[str, Point]], systems: Mapping[str, System], path: Path) -> None:
    """Draw a panel for each model: for each system, a bar for the least time of each resource.

    Raises:
        LaunchError: as for `plot_upgrades`.
    """
    figure = new_figure(9.0, 0.8 + 2.6 * len(points))
    for axes, (model, by_system) in zip(figure.subplots(len(points), squeeze=False).flat, points.items(), strict=True):
        names = list(dict.fromkeys(name for each in by_system.values() for name in each.seconds))
        series = {name: [point.seconds.get(name) for point in by_system.values()] for name in names}
        _bars(axes, list(by_system), series, [point.n is None for point in by_system.values()])
        positive = [value for values in series.values() for value in values if value]
        if positive and is_wide(positive):
            axes.set_yscale("log")
        axes.set_ylabel("s, at least", fontsize=9)
        axes.set_title(f"{model}: least time of each resource when memory is full", loc="left", fontsize=11, color=INK)
    save(figure, path)


def _bars(
    axes: "Axes", groups: Sequence[str], series: Mapping[str, Sequence[float | None]], missing: Sequence[bool]
) -> None:
    """Draw groups of bars; `missing` says which groups have none because the program does not fit."""
    width = 0.8 / max(len(series), 1)
    for number, (name, values) in enumerate(series.items()):
        left = [place - 0.4 + (number + 0.5) * width for place in range(len(groups))]
        shown = [(x, value) for x, value in zip(left, values, strict=True) if value is not None]
        axes.bar([x for x, _ in shown], [value for _, value in shown], width * 0.92,
                 color=COLOURS[number % len(COLOURS)], label=name)  # fmt: skip
    labels = [f"{group}\ndoes not fit" if lacks else group for group, lacks in zip(groups, missing, strict=True)]
    axes.set_xticks(range(len(groups)), labels, fontsize=9)
    axes.set_xlim(-0.6, len(groups) - 0.4)
    finish(axes, numbers=8, legend="center left" if series else "", bbox_to_anchor=(1, 0.5))
