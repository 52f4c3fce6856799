"""Pictures of rooflines."""

import os

import numpy

from pysmpi.aspen.roofline import Roofline
from pysmpi.util.pictures import COLOURS, INK, finish, new_figure, save

__all__ = ["plot_roofline"]

_MARKERS = "osD^vP*X"
_LABEL = 115  # distance between the labels of two sockets, in points
_ROOM = 4.0  # ratio of the intensities at an edge of the picture and at the outermost point or ridge


def plot_roofline(found: Roofline, path: str | os.PathLike[str]) -> None:
    """Draw the highest flop/s of each socket by intensity, with its peaks as lines, and a marker for each kernel.

    Args:
        found: the rooflines.
        path: path of the picture, with the suffix of its format.

    Raises:
        LaunchError: the suffix is not a known format, matplotlib is missing, or the file cannot be written.
    """
    figure = new_figure(7.5, 5.0)
    axes = figure.subplots()
    ridges = [peak / roof.bandwidth for roof in found.roofs.values() for peak in roof.ceilings.values()]
    inner = [*ridges, *(each.intensity for each in found.points)]
    low, high = min(inner) / _ROOM, max(inner) * _ROOM
    colours = dict(zip(found.roofs, COLOURS * len(found.roofs), strict=False))
    for number, (name, roof) in enumerate(found.roofs.items()):
        left = -2 - _LABEL * number  # labels of several sockets stand side by side
        colour = colours[name]
        intensity = numpy.array([low, roof.peak / roof.bandwidth, high])
        attained = [roof.attainable(each) for each in intensity]
        axes.plot(intensity, attained, color=colour, linewidth=1.8, label=f"{name}, {roof.bandwidth / 1e9:,.4g} GB/s")
        for traits, peak in roof.ceilings.items():
            if peak < roof.peak:
                axes.plot([peak / roof.bandwidth, high], [peak, peak], color=colour, linewidth=0.9, linestyle="--")
            axes.annotate(
                f"{traits or 'without traits'} {peak / 1e9:,.5g} Gflop/s", (high, peak), xytext=(left, 2),
                textcoords="offset points", ha="right", va="bottom", fontsize=7, color=colour,
            )  # fmt: skip
    for number, kernel in enumerate(dict.fromkeys(each.kernel for each in found.points)):
        points = [each for each in found.points if each.kernel == kernel]
        marker = _MARKERS[number % len(_MARKERS)]
        for each in points:
            axes.plot(each.intensity, each.attained, marker, color=colours[each.socket], markersize=6)
        axes.plot([], [], marker, color=INK, label=f"{kernel}, {points[0].intensity:.4g} flop/byte")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    finish(axes, x="operations for each byte of memory", y="flop/s of one socket", numbers=8, legend="upper left")
    save(figure, path)
