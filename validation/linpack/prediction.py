"""Predictions of Linpack: a whole run, or windows of panels and parabolas through their times.

Runs follow SMPI (`--smpi`), because the published calibrations of networks were made with SimGrid and for it.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from math import gcd
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Machine", "Prediction", "predict"]

LONG, SHORT = 12, 6  # panels of the first, middle and last window, and of those between
TALL, OTHERS = 8, 4  # intervals between windows, on grids with more process rows than columns and on others
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
    if whole or panels <= sum(count for _, count, _ in windows.values()):
        whole, error = True, 0.0
        (seconds,) = _times(machine, variant, [(0, None, ())])
    else:
        times = _times(machine, variant, list(windows.values()))
        seconds, error = _total(windows, times, panels, variant["p"] > variant["q"])
    gflops = (2 / 3 * variant["n"] ** 3 + 3 / 2 * variant["n"] ** 2) / seconds / 1e9
    return Prediction(seconds, gflops, "whole" if whole else "windows", error)


def _windows(variant: dict[str, Any], panels: int) -> dict[int, Window]:
    """Return windows by their place, from 0 for the first panels to the number of intervals for the last ones.

    The first panels of each window do not count, so that the pipeline of broadcasts is full. The first, middle and last
    window come first, and then those between, so that more windows leave the random numbers of the others as they are.
    """
    warm = _warm_up(variant)
    intervals = TALL if variant["p"] > variant["q"] else OTHERS
    halves = {place: min(gcd(place, intervals), intervals // 2) for place in range(intervals + 1)}
    windows = {}
    for place in sorted(halves, key=halves.__getitem__, reverse=True):
        length = LONG if halves[place] == intervals // 2 else SHORT
        count = warm + length + 1
        windows[place] = round((panels - count) * place / intervals), count, (warm, warm + length)
    return windows


def _total(windows: dict[int, Window], times: Sequence[float], panels: int, tall: bool) -> tuple[float, float]:
    """Return the seconds of all panels, and the relative difference that every other window makes.

    On tall grids, messages of the rows of U become shorter from panel to panel and pass sizes at which their rate
    changes, so all nine windows count. On other grids, the three long windows count, and two between only check them.
    """
    middles, rates = [], []
    for place, seconds in sorted(zip(windows, times, strict=True)):
        first, _, (start, stop) = windows[place]
        middles.append(first + (start + stop) / 2)
        rates.append(seconds / (stop - start))
    fine, coarse = _by_parabolas(middles, rates, panels), _by_parabolas(middles[::2], rates[::2], panels)
    found = fine if tall else coarse
    return found, abs(fine - coarse) / found


def _by_parabolas(middles: Sequence[float], rates: Sequence[float], panels: int) -> float:
    """Return the seconds of all panels, from seconds a panel in the middles of an odd number of windows.

    A parabola passes through each three of them that follow one another; the next one begins where it ends.
    """
    ends = [0, *(round(middle) for middle in middles[2:-1:2]), panels]
    total = 0.0
    for place, (start, stop) in enumerate(pairwise(ends)):
        three = slice(2 * place, 2 * place + 3)
        parabola = np.polynomial.Polynomial.fit(middles[three], rates[three], 2)
        total += float(np.maximum(parabola(np.arange(start, stop)), 0.0).sum())
    return total


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
