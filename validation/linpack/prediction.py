"""Predictions of Linpack: a whole run, or windows of panels and a parabola through their times.

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

MEASURED, PLACES = 12, 3  # panels of a window, windows
LEAST_WARM = 6  # panels before a window that do not count, at least
COLUMNS_A_PANEL = 8  # process columns for each such panel
MOST_WHOLE = 500_000  # panels times ranks of the largest run that is simulated whole by default
MOST_WHOLE_ROWS = 8_000  # the same of panels times process rows, which exchange each column of a panel


Part = tuple[int, int | None, tuple[int, ...]]
"""First panel; number of panels, or None for all that follow; panels between which the time counts, or () for all."""


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
    """

    seconds: float
    gflops: float
    method: str


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
    if whole or panels < PLACES * (_warm_up(variant) + MEASURED + 1):
        whole = True
        (seconds,) = _times(machine, variant, [(0, None, ())])
    else:
        seconds = _by_windows(machine, variant, panels)
    gflops = (2 / 3 * variant["n"] ** 3 + 3 / 2 * variant["n"] ** 2) / seconds / 1e9
    return Prediction(seconds, gflops, "whole" if whole else "windows")


def _by_windows(machine: Machine, variant: dict[str, Any], panels: int) -> float:
    """Return the seconds of all panels, from a parabola through the seconds a panel in three windows.

    The first panels of each window do not count, so that the pipeline of broadcasts is full.
    """
    warm = _warm_up(variant)
    count = warm + MEASURED + 1
    firsts = [round((panels - count) * place / (PLACES - 1)) for place in range(PLACES)]
    times = _times(machine, variant, [(first, count, (warm, warm + MEASURED)) for first in firsts])
    middles = [first + warm + MEASURED / 2 for first in firsts]
    parabola = np.polynomial.Polynomial.fit(middles, np.array(times) / MEASURED, PLACES - 1)
    return float(np.maximum(parabola(np.arange(panels)), 0.0).sum())


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
