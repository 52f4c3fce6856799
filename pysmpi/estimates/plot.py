"""Pictures of an estimate: efficiency, bytes per flop, matrix, cut of the largest array, bytes of the statements."""

import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from pysmpi.estimates.cut_figures import BYTES_PER_WORD, CutFigures
from pysmpi.estimates.estimate_data import EstimateData
from pysmpi.estimates.rows import Row
from pysmpi.estimates.scaling_limits import efficiency_of
from pysmpi.util.pictures import new_figure, save
from pysmpi.util.quantities import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_all", "plot_efficiency"]

_SHOWN = 12  # largest number of statements
_SLIM = 4  # largest ratio of the sides of an array whose elements are drawn as squares


def plot_efficiency(
    found: EstimateData, path: str | os.PathLike[str], points: Mapping[int, float] | None = None
) -> None:
    """Draw the efficiencies against the number of nodes, and note why they fall below 80 and 50 %.

    Args:
        found: the estimate.
        path: path of the picture, with the suffix .svg, .png or .pdf.
        points: efficiencies of a real MPI program by number of nodes, to be drawn in the same picture, or None.

    Raises:
        LaunchError: the suffix is not a known format, matplotlib is missing, or the file cannot be written.
    """
    rows = _largest(found)
    figure = new_figure(7.5, 5.0)
    axes = figure.subplots()
    simulated = [row for row in rows if row.efficiency["simulated"] is not None]
    if simulated:
        nodes = [row.nodes for row in simulated]
        low, high = zip(*(row.efficiency["simulated"] for row in simulated), strict=True)
        axes.fill_between(nodes, low, high, alpha=0.25, label="simulated, without to full overlap")
        axes.plot(nodes, low, "o-", markersize=4, label="simulated, without overlap")
    for name, label, style in (
        ("formula", "CommAnalyzer's formula", "s--"),
        ("link", "bound by the node's link", "^:"),
        ("depth", "limit by depth", "-."),
    ):
        known = [(row.nodes, row.efficiency[name]) for row in rows if row.efficiency[name] is not None]
        if known:
            axes.plot(*zip(*known, strict=True), style, markersize=4, label=label)
    if points:
        axes.plot(list(points), list(points.values()), "k*", markersize=9, label="MPI program")
    for number, stop in enumerate(found.stops()):
        if stop["why"] is None:
            continue
        text = f"{stop['why']} ({stop['place']})" if stop["place"] else stop["why"]
        knee = _knee(rows, stop["efficiency"])
        left = knee[0] > math.sqrt(rows[0].nodes * rows[-1].nodes)
        axes.annotate(
            f"below {100 * stop['efficiency']:.0f} %: {text}",
            knee,
            xytext=(-14 if left else 14, 30 - 16 * number),
            textcoords="offset points",
            ha="right" if left else "left",
            fontsize=8,
            arrowprops={"arrowstyle": "->", "color": "0.3"},
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "0.8"},
        )
        axes.axhline(stop["efficiency"], color="0.8", linewidth=0.8, zorder=0)
    _by_nodes(axes, rows)
    axes.set_ylim(0, 1.08)
    axes.set_ylabel("parallel efficiency")
    axes.set_title(_title(found, rows[-1]))
    axes.legend(loc="best", fontsize=8)
    save(figure, path)


def _knee(rows: list[Row], level: float) -> tuple[float, float]:
    """Return the point of the plotted line at which the efficiency falls below a level.

    Args:
        rows: figures of one size, by increasing number of nodes.
        level: efficiency from 0 to 1.

    Returns:
        Number of nodes, interpolated on a logarithmic scale, and efficiency; the last point if it does not fall so low.
    """
    known = [(row.nodes, each) for row in rows if (each := efficiency_of(row)) is not None]
    above: tuple[int, float] | None = None
    for nodes, efficiency in known:
        if efficiency < level:
            if above is None:
                return nodes, efficiency
            share = (above[1] - level) / (above[1] - efficiency)
            return above[0] * (nodes / above[0]) ** share, level
        above = nodes, efficiency
    return known[-1]


def plot_all(found: EstimateData, folder: str | os.PathLike[str]) -> None:
    """Draw all pictures into a folder, as SVG.

    Raises:
        LaunchError: matplotlib is missing, or a file cannot be written.
    """
    plot_efficiency(found, f"{folder}/efficiency.svg")
    _plot_intensity(found, f"{folder}/bytes_per_flop.svg")
    _plot_matrix(found, f"{folder}/matrix.svg")
    _plot_statements(found, f"{folder}/statements.svg")
    row = found.rows[-1]
    if row.owners is not None:
        _plot_cut(found, row, row.owners, f"{folder}/cut.svg")


def _plot_intensity(found: EstimateData, path: str) -> None:
    rows = _largest(found)
    figure = new_figure(6.5, 4.5)
    axes = figure.subplots()
    chosen: tuple[tuple[str, list[CutFigures], str], ...] = (
        ("usual blocks", [row.usual for row in rows], "o-"),
        ("least found", [row.least for row in rows], "s--"),
    )
    for label, figures, style in chosen:
        axes.plot([row.nodes for row in rows], [each.bytes_per_flop for each in figures], style, label=label)
    _by_nodes(axes, rows)
    if all(row.least.bytes_per_flop > 0 for row in rows):
        axes.set_yscale("log")
    axes.set_ylabel("bytes per flop")
    axes.set_title(_title(found, rows[-1]))
    axes.legend()
    save(figure, path)


def _plot_matrix(found: EstimateData, path: str) -> None:
    row = found.rows[-1]
    figure = new_figure(5.5, 4.8)
    axes = figure.subplots()
    words = BYTES_PER_WORD * row.matrix().astype(float)
    image = axes.imshow(np.where(words > 0, words, np.nan), interpolation="none", cmap="viridis", vmin=0)
    figure.colorbar(image, label="bytes")
    axes.set_xlabel("receiving node")
    axes.set_ylabel("sending node")
    axes.set_title(f"{_title(found, row)}, {counted(row.nodes, 'node')}")
    save(figure, path)


def _plot_cut(found: EstimateData, row: Row, owners: np.ndarray, path: str) -> None:
    figure = new_figure(5.0, 4.8)
    axes = figure.subplots()
    colours = np.random.default_rng(0).permutation(row.nodes)  # so that neighbours differ
    slim = max(owners.shape) > _SLIM * min(owners.shape)
    axes.imshow(
        colours[owners], interpolation="none", cmap="nipy_spectral", aspect="auto" if slim else "equal", vmin=0,
        vmax=row.nodes - 1,
    )  # fmt: skip
    axes.set_axis_off()
    axes.set_title(f"{found.program.name}: owners among {counted(row.nodes, 'node')} ({row.best.by})")
    save(figure, path)


def _plot_statements(found: EstimateData, path: str) -> None:
    statements = found.statements()[:_SHOWN][::-1]
    figure = new_figure(6.5, 1.2 + 0.35 * max(len(statements), 1))
    axes = figure.subplots()
    axes.barh(
        [f"{each.place}\n{each.what}" for each in statements], [BYTES_PER_WORD * each.words for each in statements]
    )
    axes.tick_params(axis="y", labelsize=7)
    axes.set_xlabel("bytes")
    axes.set_title(f"{_title(found, found.rows[-1])}, {counted(found.rows[-1].nodes, 'node')}")
    save(figure, path)


def _largest(found: EstimateData) -> list[Row]:
    size = found.rows[-1].size
    return sorted((row for row in found.rows if row.size == size), key=lambda row: row.nodes)


def _title(found: EstimateData, row: Row) -> str:
    size = ", ".join(f"{name} = {value:,}" for name, value in row.size.items())
    return f"{found.program.name}, {size}" if size else found.program.name


def _by_nodes(axes: "Axes", rows: list[Row]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks([row.nodes for row in rows], [f"{row.nodes:,}" for row in rows])
    axes.set_xlabel("nodes")
