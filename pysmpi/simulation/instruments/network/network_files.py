"""Files of a network report: tables, and plots if matplotlib is installed."""

import io
import os
import pathlib
import sys

import numpy as np

from pysmpi.errors import LaunchError
from pysmpi.platform import Platform
from pysmpi.platform.drawing import draw
from pysmpi.simulation.instruments.network.network_use import Matrix, NetworkUse
from pysmpi.util.pictures import INK, MISSING, can_draw, new_figure, save
from pysmpi.util.quantities import counted
from pysmpi.util.whole_file import whole_file

__all__ = ["draw_matrix", "write_network_report"]

_MOST_TICKS = 9


def write_network_report(network: NetworkUse, platform: Platform, directory: str | os.PathLike[str]) -> None:
    """Write a network report to a directory.

    The files are ``links.csv`` and ``matrix.csv``; under ``network/model:Packets`` also ``delays.csv``, the histogram
    of packets' delays, and ``delay_matrix.csv``. With matplotlib there are also ``matrix.png``, ``utilisation.svg``
    (the used part of each link's bandwidth) and ``congestion.svg`` (the part of the run in which each link was
    saturated).

    Raises:
        LaunchError: if a file cannot be written.
    """
    folder = pathlib.Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tables = [("links.csv", network.write_links), ("matrix.csv", network.write_matrix)]
        if network.delays is not None:
            tables += [("delays.csv", network.write_delays), ("delay_matrix.csv", network.write_delays_of_ranks)]
        for name, write in tables:
            with whole_file(folder / name) as file:
                text = io.TextIOWrapper(file, encoding="utf-8")
                write(text)
                text.detach()  # so that whole_file closes the file
    except OSError as error:
        raise LaunchError(f"{folder}: cannot write the network report: {error.strerror}") from None
    if not can_draw():
        print(f"pysmpi: {folder}: no pictures: {MISSING}", file=sys.stderr)
        return
    draw_matrix(network.matrix, folder / "matrix.png")
    if not network.links:
        return
    seconds = network.seconds or 1.0
    used = {link.name: link.utilisation(seconds) for link in network.links}
    draw(platform, folder / "utilisation.svg", use=used, use_is="part of the bandwidth used")
    full = {link.name: link.saturated / seconds for link in network.links}
    draw(platform, folder / "congestion.svg", use=full, use_is="part of the run in which the link was saturated")


def draw_matrix(matrix: Matrix, path: str | os.PathLike[str]) -> None:
    """Draw the communication matrix: bytes by sender and receiver.

    Raises:
        LaunchError: if matplotlib is not installed, or the file cannot be written.
    """
    figure = new_figure(7, 6)
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes = figure.subplots()
    sent = np.ma.masked_less_equal(matrix.bytes.astype(float), 0.0)
    low, high = (float(sent.min()), float(sent.max())) if sent.count() else (1.0, 1.0)
    picture = axes.imshow(
        sent, cmap="viridis_r", norm=LogNorm(low, max(high, low * 1.01)), interpolation="nearest", aspect="equal"
    )
    bar = figure.colorbar(picture, ax=axes, label="bytes sent")
    if high <= low * 1.01:
        bar.set_ticks([low], labels=[f"{low:,.0f}"])
    rank = FuncFormatter(lambda row, _: f"{int(row) * matrix.ranks_per_row:,}")
    for axis, name in ((axes.xaxis, "receiver"), (axes.yaxis, "sender")):
        axis.set_major_locator(MaxNLocator(_MOST_TICKS, integer=True))
        axis.set_major_formatter(rank)
        axis.set_label_text(f"rank of the {name}")
    axes.set_facecolor("#f4f4f4")
    together = f", {matrix.ranks_per_row} per row" if matrix.ranks_per_row > 1 else ""
    axes.set_title(f"{counted(matrix.ranks, 'rank')}{together}", fontsize=11, color=INK)
    save(figure, path)
