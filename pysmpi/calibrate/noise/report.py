"""Report of a host's noise: a text and a plot."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from pysmpi.calibrate.noise.model import NoiseFit
from pysmpi.util.columns import aligned
from pysmpi.util.pictures import COLOURS, finish, new_figure, save

__all__ = ["draw", "report_text"]


def report_text(fit: NoiseFit, document: Mapping[str, Any]) -> str:
    """Return a text with the detours of each core, and of all together."""
    rows: list[tuple[str, ...]] = [
        ("core", "seconds", "usual, us", "noticed from, us", "detours a second", "median, us", "longest, us", "lost")
    ]
    for core, stretches in fit.cores.items():
        computed = sum(each.computed for each in stretches)
        lengths = np.array([length for each in stretches for length in each.lengths])
        middle, longest = (np.median(lengths), lengths.max()) if len(lengths) else (0.0, 0.0)
        usual = np.median([each.usual for each in stretches])
        threshold = np.median([each.threshold for each in stretches])
        micro = [f"{1e6 * seconds:.3g}" for seconds in (usual, threshold, middle, longest)]
        rows.append((str(core), f"{computed:.3g}", *micro[:2], f"{len(lengths) / computed:.3g}", *micro[2:],
                     f"{100 * lengths.sum() / computed:.2g} %"))  # fmt: skip
    return "\n".join(
        [
            *(f"{key}: {value}" for key, value in document["provenance"].items()),
            "",
            *aligned(rows, right=range(8)),
            "",
            f"on a core: {fit.rate:.3g} detours a second, which take {100 * fit.lost:.2g} % of the computation",
            "",
            "Shorter detours are not noticed. Two detours in one piece of work count as one.",
        ]
    )


def draw(fit: NoiseFit, path: str | os.PathLike[str]) -> None:
    """Draw how many detours a second are at least as long as each length.

    Raises:
        LaunchError: if matplotlib is not installed, or the file cannot be written.
    """
    figure = new_figure(6.0, 4.0)
    axes = figure.subplots()
    lengths = 1e6 * np.array(fit.lengths)
    axes.step(lengths, fit.rate * np.arange(len(lengths), 0, -1) / len(lengths), where="pre", color=COLOURS[0])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("length, us")
    axes.grid(alpha=0.3)
    finish(axes, "detours of one core a second that take at least so long")
    save(figure, path)
