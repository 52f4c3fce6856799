"""Predictions of Linpack: a whole run, or windows of panels and a curve through their times.

Runs follow SMPI (`--smpi`), because the published calibrations of networks were made with SimGrid and for it.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Machine", "Prediction", "predict"]

WINDOWS, COUNTED = 9, 9  # windows of a run, an odd number, and panels of each that count
GOLDEN = (5**0.5 - 1) / 2  # multiples of it, modulo 1, lie evenly in 0 to 1, and so do the first few of them
LEAST_WARM = 6  # panels before a window that do not count, at least
COLUMNS_A_PANEL = 8  # process columns for each such panel
MOST_WHOLE = 500_000  # panels times ranks of the largest run that is simulated whole by default
MOST_WHOLE_ROWS = 8_000  # the same of panels times process rows, which exchange each column of a panel


Part = tuple[int, int | None, tuple[int, ...]]
"""First panel; number of panels, or None for all that follow; panels between which the time counts, or () for all."""
Window = tuple[int, int, tuple[int, int]]
"""First panel of a window, number of its panels, and the panels between which its time counts."""


class Machine(NamedTuple):
    """Inputs of a prediction that belong to the machine.

    Attributes:
        platform: platform file.
        blas: model file, or table of models (`pysmpirun --blas`).
        hosts: name of the host of each rank.
        seed: seed of noise and pivots.
    """

    platform: Path
    blas: Path
    hosts: Sequence[str]
    seed: int = 0


class Prediction(NamedTuple):
    """Time of a factorisation.

    Attributes:
        seconds: simulated seconds.
        gflops: HPL's rate, (2/3·N³ + 3/2·N²) / seconds / 1e9.
        method: "whole", or "windows".
        windows_error: relative difference between the seconds with and without every other window; 0 for a whole run.
    """

    seconds: float
    gflops: float
    method: str
    windows_error: float


def predict(machine: Machine, variant: dict[str, Any], whole: bool | None = None) -> Prediction:
    """Return the predicted time of a factorisation.

    Args:
        machine: the machine.
        variant: what HPL.dat would choose, by the names of apps/hpl/variant.py: n, nb, p, q …
        whole: whether to simulate all panels, or windows of them; by default all, unless there are very many.

    Raises:
        RuntimeError: the simulation failed; the message has its output.
    """
    panels = -(-variant["n"] // variant["nb"])
    if whole is None:
        whole = panels * len(machine.hosts) <= MOST_WHOLE or panels * variant["p"] <= MOST_WHOLE_ROWS
    windows = _windows(variant, panels)
    if whole or panels <= sum(count for _, count, _ in windows):
        whole, error = True, 0.0
        (seconds,) = _times(machine, variant, [(0, None, ())])
    else:
        times = _times(machine, variant, windows)
        seconds, error = _total(windows, times, panels)
    gflops = (2 / 3 * variant["n"] ** 3 + 3 / 2 * variant["n"] ** 2) / seconds / 1e9
    return Prediction(seconds, gflops, "whole" if whole else "windows", error)


def _windows(variant: dict[str, Any], panels: int) -> list[Window]:
    """Return windows at about equal distances, from the first panels to the last ones.

    The first panels of each window do not count, so that the pipeline of broadcasts is full. Panels are on the process
    rows in turn, and rows differ: on 32 × 32 processes of Dahu (N = 62,000), their panels take 13 % less to 19 % more
    than the mean. So windows are moved by up to a quarter of their distance, to rows that are spread over all.
    """
    warm, rows = _warm_up(variant), variant["p"]
    count = warm + COUNTED + 1
    last = panels - count
    distance = last / (WINDOWS - 1)
    windows = []
    for place in range(WINDOWS):
        away = (place * (GOLDEN * rows - distance) + rows / 2) % rows - rows / 2  # to a row of its own
        first = round(place * distance + min(max(away, -distance / 4), distance / 4))
        windows.append((min(max(first, 0), last), count, (warm, warm + COUNTED)))
    return windows


def _total(windows: Sequence[Window], times: Sequence[float], panels: int) -> tuple[float, float]:
    """Return the seconds of all panels, and the relative difference that every other window makes."""
    middles = [first + (start + stop) / 2 for first, _, (start, stop) in windows]
    rates = [seconds / COUNTED for seconds in times]
    found, coarse = (_between(middles[::step], rates[::step], panels) for step in (1, 2))
    return found, abs(found - coarse) / found


def _between(middles: Sequence[float], rates: Sequence[float], panels: int) -> float:
    """Return the seconds of all panels, from seconds a panel in the middles of windows.

    A parabola is fitted to all windows. The differences of the windows from it are added, along straight lines from one
    window to the next. A panel's time scatters by some 7 % on tall grids, so no window may count much more than
    another. Parabolas through three windows each would give the middle one four times the weight.
    """
    parabola = np.polynomial.Polynomial.fit(middles, rates, 2)
    left = np.asarray(rates) - parabola(np.asarray(middles))
    panel = np.arange(panels)
    return float(np.maximum(parabola(panel) + np.interp(panel, middles, left), 0.0).sum())


def _warm_up(variant: dict[str, Any]) -> int:
    """Return the number of panels until the pipeline of broadcasts is full.

    A panel passes through the process columns one after the other, and the next panels follow it. On 2 × 480 processes,
    panels become 17 % faster from the 6th to the 30th, and 3 % from there to the 60th.
    """
    columns: int = variant["q"]
    return max(LEAST_WARM, columns // COLUMNS_A_PANEL)


def _times(machine: Machine, variant: dict[str, Any], parts: Sequence[Part]) -> list[float]:
    """Return the simulated seconds of each part."""
    with tempfile.TemporaryDirectory() as folder:
        asked, hosts = Path(folder) / "asked.json", Path(folder) / "hosts"
        asked.write_text(json.dumps({"variant": variant, "parts": parts, "pivots": machine.seed}))
        hosts.write_text("".join(f"{host}\n" for host in machine.hosts))
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--smpi", "--quiet", "-np", str(len(machine.hosts)),
                   "--platform", str(machine.platform), "--hostfile", str(hosts), "--blas", str(machine.blas),
                   "--seed", str(machine.seed), "--cfg=smpi/simulate-computation:no",
                   str(Path(__file__).parent / "windows.py"), str(asked)]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return [float(line) for line in run.stdout.splitlines()]
