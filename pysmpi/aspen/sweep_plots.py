"""Pictures of sweeps and sensitivities."""

import os
from collections.abc import Mapping

import numpy

from pysmpi.aspen.sweep import Sweep
from pysmpi.util.pictures import COLOURS, INK, finish, is_wide, new_figure, save

__all__ = ["plot_elasticities", "plot_sweep"]

_DECADE = 10.0  # values that span more than this are drawn on a logarithmic axis


def plot_sweep(found: Sweep, along: str, by: str | None, path: str | os.PathLike[str]) -> None:
    """Draw a panel for each quantity of a sweep, such as the runtime.

    In a panel, the quantity is drawn along one parameter, with a line for each value of another parameter.

    Args:
        found: the sweep.
        along: parameter of the horizontal axis.
        by: parameter whose values have lines of their own, or None for one line.
        path: path of the picture, with the suffix of its format.

    Raises:
        LaunchError: the suffix is not a known format, matplotlib is missing, or the file cannot be written.
    """
    figure = new_figure(7.0, 0.6 + 3.2 * len(found.figures))
    lines = numpy.unique(found.values[by]) if by is not None else [None]
    for axes, (name, values) in zip(figure.subplots(len(found.figures), squeeze=False).flat, found.figures.items(),
                                    strict=True):  # fmt: skip
        for number, line in enumerate(lines):
            chosen = numpy.ones(len(values), bool) if line is None else found.values[by or along] == line
            x, y = found.values[along][chosen], values[chosen]
            order = numpy.argsort(x, kind="stable")
            label = None if line is None else f"{by} = {line:,.6g}"
            axes.plot(x[order], y[order], color=COLOURS[number % len(COLOURS)], label=label, linewidth=1.4)
        for scale, shown in ((axes.set_xscale, found.values[along]), (axes.set_yscale, values)):
            if is_wide(shown, _DECADE):
                scale("log")
        finish(axes, x=along, y=f"{name}, s" if name == "runtime" else name, numbers=8, legend="best" if by else "")
    save(figure, path)


def plot_elasticities(elasticities: Mapping[str, float], path: str | os.PathLike[str]) -> None:
    """Draw by how much each parameter changes the time, as one bar for each parameter, the largest effect at the top.

    Args:
        elasticities: relative change of the time over that of each parameter, by its name.
        path: path of the picture, with the suffix of its format.

    Raises:
        LaunchError: as for `plot_sweep`.
    """
    figure = new_figure(7.0, 0.9 + 0.28 * len(elasticities))
    axes = figure.subplots()
    names = sorted(elasticities, key=lambda name: abs(elasticities[name]))
    colours = [COLOURS[0] if elasticities[name] < 0 else COLOURS[3] for name in names]
    axes.barh(names, [elasticities[name] for name in names], color=colours)
    axes.axvline(0, color=INK, linewidth=0.8)
    finish(axes, x="% of the time for 1 % of the parameter", numbers=8)
    save(figure, path)
