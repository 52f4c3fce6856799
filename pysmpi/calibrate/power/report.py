"""Report of a host's watts: a text and a plot."""

import os
from collections.abc import Mapping
from typing import Any

from pysmpi.calibrate.power.model import PowerModel
from pysmpi.util.columns import aligned
from pysmpi.util.pictures import COLOURS, INK, finish, new_figure, save

__all__ = ["draw", "report_text"]


def report_text(model: PowerModel, document: Mapping[str, Any]) -> str:
    """Return a text with measured medians, watts by the fitted line, and the host property for platforms."""
    rows = [("busy cores", "watts, median", "by the line", "error")]
    for busy, watts in model.medians.items():
        rows.append((str(busy), f"{watts:.4g}", f"{model(busy):.4g}", f"{100 * model.errors[busy]:+.2g} %"))
    return "\n".join(
        [
            *(f"{key}: {value}" for key, value in document["provenance"].items()),
            "",
            *aligned(rows, right=range(4)),
            "",
            "for the platform file:",
            f'  <prop id="wattage_per_state" value="{model.wattage_per_state}"/>',
            "",
            "The processor's counters cover only packages and their memory. Boards, disks, fans and losses of power",
            "supplies come on top; a wattmeter measures them.",
        ]
    )


def draw(model: PowerModel, path: str | os.PathLike[str]) -> None:
    """Draw the measured median watts and the fitted line against the number of busy cores.

    Raises:
        LaunchError: if matplotlib is not installed, or the file cannot be written.
    """
    figure = new_figure(6.0, 4.0)
    axes = figure.subplots()
    axes.plot(list(model.medians), list(model.medians.values()), "o", color=COLOURS[0], label="median")
    line = sorted({1, model.cores})
    axes.plot(line, [model(busy) for busy in line], color=INK, linewidth=1.0, label="by wattage_per_state")
    axes.plot([0], [model.idle], "x", color=INK)
    axes.set_ylim(0)
    finish(axes, "watts by busy cores", legend="best")
    save(figure, path)
