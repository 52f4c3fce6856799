"""Pictures of upgrades and systems."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pysmpi.requirements.codesign.filling import Point
from pysmpi.requirements.codesign.systems import System
from pysmpi.util.pictures import new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_systems", "plot_upgrades"]

_INK = "#222222"
_COLOURS = ("#2b6cb0", "#b7791f", "#2f855a", "#9b2c2c", "#6b46c1", "#4a5568", "#0987a0", "#b83280")

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
        axes.axhline(1, color=_INK, linewidth=0.8)
        axes.set_title(f"{model}: multiples of the base machine's requirements", loc="left", fontsize=11, color=_INK)
    save(figure, os.fspath(path))


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
        if positive and max(positive) > 20 * min(positive):
            axes.set_yscale("log")
        axes.set_ylabel("s, at least", fontsize=9)
        axes.set_title(f"{model}: least time of each resource when memory is full", loc="left", fontsize=11, color=_INK)
    save(figure, os.fspath(path))


def _bars(
    axes: "Axes", groups: Sequence[str], series: Mapping[str, Sequence[float | None]], missing: Sequence[bool]
) -> None:
    """Draw groups of bars; `missing` says which groups have none because the program does not fit."""
    width = 0.8 / max(len(series), 1)
    for number, (name, values) in enumerate(series.items()):
        left = [place - 0.4 + (number + 0.5) * width for place in range(len(groups))]
        shown = [(x, value) for x, value in zip(left, values, strict=True) if value is not None]
        axes.bar([x for x, _ in shown], [value for _, value in shown], width * 0.92,
                 color=_COLOURS[number % len(_COLOURS)], label=name)  # fmt: skip
    labels = [f"{group}\ndoes not fit" if lacks else group for group, lacks in zip(groups, missing, strict=True)]
    axes.set_xticks(range(len(groups)), labels, fontsize=9)
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    if series:
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
