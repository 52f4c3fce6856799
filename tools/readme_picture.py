"""Draw docs/timeline/prediction.png, the picture of the README: Linpack's loop, and its phases on 64 simulated ranks.

``python tools/readme_picture.py`` simulates apps/hpl on 8 × 8 ranks of a fat tree, with phases around the calls of the
loop, and draws the timeline. ``python tools/readme_picture.py TABLE.csv`` draws an earlier timeline. Needs matplotlib.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.colors import ListedColormap

import pysmpi

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "timeline" / "prediction.png"
RANKS, ORDER = 64, 4000
SHOWN = 12.3e-3  # seconds of the timeline; the strip below shows all
COLUMNS = 1600  # pixels of the timeline

NAMED = ((2.05, 32, "update (dgemm)", True), (5.4, 32, "update", True), (8.2, 32, "update", True))  # ms, rank
IDLE = "#e8e9ed"
STATES = (  # of a rank: phase, label, colour
    ("factor", "panel factorisation", "#d1495b"),
    ("broadcast", "wait for the panel", "#f2c14e"),
    ("swap", "exchange of rows", "#3a9b7a"),
    ("update", "update (dgemm)", "#2f6db5"),
)
NAMES = [name for name, _, _ in STATES]
LABELS = {name: label for name, label, _ in STATES}
COLOURS = {name: colour for name, _, colour in STATES}
INK, PAPER, DIM = "#1f2937", "#fbfbfc", "#6b7280"


def simulate(table: pathlib.Path) -> None:
    """Write the timeline of a simulated run of this file."""
    options = ["-np", str(RANKS), "--platform", "fattree", "--cfg=smpi/simulate-computation:no", "--trace", str(table)]
    program = [__file__, "--n", str(ORDER), "--p", "8", "--q", "8"]
    subprocess.run([sys.executable, "-m", "pysmpi.cli.run", *options, *program], check=True)


def run_linpack() -> None:
    """Run Linpack's model with a phase around each call of its loop: the program that `simulate` starts."""
    sys.path.insert(0, str(ROOT / "apps" / "hpl"))
    import hpl
    import model

    class Named(model.Model):  # type: ignore[misc]
        """The model, which hands its actions over at the end of each phase."""

        def _named(self, name: str, action: Any, *arguments: Any) -> None:
            with pysmpi.phase(name):
                action(*arguments)
                self.hand_over()

        def _without_look_ahead(self) -> None:
            finish = self.broadcast.finish
            self.broadcast.finish = lambda: self._named("broadcast", finish)
            super()._without_look_ahead()

        def _factor(self, panel: Any) -> None:
            self._named("factor", super()._factor, panel)

        def _update(self, panel: Any, columns: int) -> None:
            self._named("update", super()._update, panel, columns)

    hpl.Model = Named
    sys.exit(hpl.main())


def read(table: pathlib.Path) -> list[tuple[str, int, float, float]]:
    """Return the states of the ranks as name, rank, begin and end; computation in an update follows its row swap."""
    with open(table, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] in {"phase", "computing"}]
    slices = [(row["name"], int(row["rank"]), float(row["begin"]), float(row["end"])) for row in rows]
    named = [("swap" if name == "update" else name, *place) for name, *place in slices if name in NAMES]
    updates = [(rank, begin, end) for name, rank, begin, end in slices if name == "update"]
    computing = [(rank, begin, end) for name, rank, begin, end in slices if name.startswith("computing")]
    for rank in range(RANKS):
        begins = np.array(sorted(begin for each, begin, _ in updates if each == rank))
        ends = np.array(sorted(end for each, _, end in updates if each == rank))
        for each, begin, end in computing:
            if each == rank:
                index = int(np.searchsorted(begins, begin, side="right")) - 1
                if index >= 0 and end <= ends[index] + 1e-12:
                    named.append(("update", rank, begin, end))
    return named


def raster(states: list[tuple[str, int, float, float]], end: float, columns: int) -> Any:
    """Return the seconds of each state by rank and column of pixels; later states replace those they lie in."""
    seconds = np.zeros((len(STATES), RANKS, columns))
    width = end / columns
    for name, rank, begin, stop in states:
        first, last = begin / width, min(stop / width, columns)
        for column in range(int(first), min(int(np.ceil(last)), columns)):
            part = (min(last, column + 1) - max(first, column)) * width
            seconds[NAMES.index(name), rank, column] += part
            if name == "update":
                seconds[NAMES.index("swap"), rank, column] -= part
    return seconds


def draw(states: list[tuple[str, int, float, float]]) -> None:
    """Draw the program beside the timeline, and the share of each phase over the whole run below it."""
    total = max(end for _, _, _, end in states)
    pyplot.rcParams.update({"font.family": "DejaVu Sans", "text.color": INK, "axes.edgecolor": DIM,
                            "axes.labelcolor": INK, "xtick.color": DIM, "ytick.color": DIM})  # fmt: skip
    figure = pyplot.figure(figsize=(12.8, 5.6), facecolor="white")
    whole = raster(states, total, COLUMNS)
    shares = {name: float(whole[index].sum()) / (RANKS * total) for index, name in enumerate(NAMES)}
    program(figure.add_axes((0.0, 0.0, 0.385, 1.0)), shares)
    timeline(figure.add_axes((0.455, 0.4, 0.525, 0.49)), raster(states, SHOWN, COLUMNS))
    strip(figure.add_axes((0.455, 0.115, 0.525, 0.16)), whole, total)
    gflops = (2 / 3 * ORDER**3 + 3 / 2 * ORDER**2) / total / 1e9
    figure.text(0.455, 0.94, f"Prediction: {total * 1e3:.1f} ms, {gflops:.0f} Gflop/s on 64 hosts of a fat tree",
                size=13, weight="bold")  # fmt: skip
    figure.savefig(PICTURE, dpi=150)
    print(f"{PICTURE}: {total * 1e3:.2f} ms, {gflops:.1f} Gflop/s, {shares}")


def program(axes: Any, shares: dict[str, float]) -> None:
    """Write the loop of apps/hpl/solver.py, with the colour and the share of each phase under its line."""
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.add_patch(pyplot.Rectangle((0, 0), 1, 1, color=PAPER))
    axes.text(0.06, 0.94, "The program: Linpack for mpi4py", size=13, weight="bold")
    mono = {"family": "DejaVu Sans Mono", "size": 9.6, "va": "center"}
    axes.text(0.06, 0.855, "for index in range(self.panels):", **mono)
    axes.text(0.06, 0.79, "    panel = Panel(self.grid, …, index)", **mono)
    lines = (
        (0.69, "    self._factor(panel)", ("factor",)),
        (0.55, "    self._broadcast(panel)", ("broadcast",)),
        (0.41, "    self._update(panel, columns)", ("swap", "update")),
    )
    for height, text, names in lines:
        axes.text(0.06, height, text, **mono)
        for row, name in enumerate(names):
            below = height - 0.058 - 0.055 * row
            axes.add_patch(pyplot.Rectangle((0.145, below - 0.018), 0.035, 0.036, color=COLOURS[name]))
            axes.text(0.2, below, f"{LABELS[name]}", size=9.6, va="center", color=INK)
            axes.text(0.93, below, f"{shares[name]:.0%} of the time", size=9.6, va="center", ha="right", color=DIM)
    axes.add_patch(pyplot.Rectangle((0.04, 0.055), 0.92, 0.15, color=INK))
    command = "$ pysmpirun -np 64 --platform fattree \\\n      hpl.py --n 4000 --p 8 --q 8"
    axes.text(0.07, 0.13, command, family="DejaVu Sans Mono", size=9.6, va="center", color="white", linespacing=1.5)


def timeline(axes: Any, seconds: Any) -> None:
    """Draw the state that takes most of each pixel, and name the phases."""
    busy = seconds.max(axis=0)
    image = np.where(busy > 0, seconds.argmax(axis=0) + 1, 0)
    colours = ListedColormap([IDLE, *COLOURS.values()])
    axes.imshow(
        image, aspect="auto", interpolation="nearest", cmap=colours, vmin=0, vmax=len(STATES),
        extent=(0, SHOWN * 1e3, RANKS, 0),
    )  # fmt: skip
    for time, rank, text, turned in NAMED:
        axes.text(time, rank, text, color="white", size=9, weight="bold", ha="center", va="center",
                  rotation=90 if turned else 0)  # fmt: skip
    axes.set_yticks([0, 16, 32, 48, 64])
    axes.set_ylabel("rank")
    axes.set_xlabel("simulated time (ms): the first four of 34 panels, a row for each rank", size=9)
    axes.tick_params(length=3, labelsize=8)


def strip(axes: Any, seconds: Any, total: float) -> None:
    """Draw the number of ranks in each phase over the whole run."""
    bins = 200
    counts = seconds.reshape(len(STATES), RANKS, bins, -1).sum(axis=(1, 3)) / (total / bins)
    order = [NAMES.index(name) for name in ("update", "swap", "factor", "broadcast")]
    times = (np.arange(bins) + 0.5) * total / bins * 1e3
    axes.stackplot(times, counts[order], colors=[COLOURS[NAMES[each]] for each in order], linewidth=0)
    axes.set_xlim(0, total * 1e3)
    axes.set_ylim(0, RANKS)
    axes.set_yticks([0, 32, 64])
    axes.set_ylabel("ranks")
    axes.set_xlabel("simulated time (ms): the whole run", size=9)
    axes.tick_params(length=3, labelsize=8)


def main() -> None:
    """Simulate, unless a timeline is given, and draw."""
    if pysmpi.is_simulated():
        run_linpack()
    if len(sys.argv) > 1:
        draw(read(pathlib.Path(sys.argv[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "hpl.csv"
        simulate(table)
        draw(read(table))


if __name__ == "__main__":
    main()
