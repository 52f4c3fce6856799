"""Predict the campaign: the machine, library and placement of each series, and one simulation for each."""

import csv
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["LARGE", "Series", "predict", "series"]

HERE = Path(__file__).resolve().parent

MACHINES = {"mare_nostrum": ("marenostrum5-acc", "openmpi-4.1"), "lumi": ("lumi-g", "cray-mpich"),
            "fugaku": ("fugaku", "fujitsu-mpi")}  # fmt: skip
"""Platform and MPI library of each machine of the campaign."""

LARGE = 65536
"""Bytes from which on a point counts as large."""


class Series(NamedTuple):
    """Measured times of a collective with one algorithm.

    Attributes:
        machine: machine, by the campaign's name.
        nodes: nodes, or the shape of the torus.
        collective: the collective.
        algorithm: pysmpi's name of the algorithm, or "default" for the library's choice.
        ranks: number of ranks.
        times: median in seconds, by the number of bytes.
    """

    machine: str
    nodes: str
    collective: str
    algorithm: str
    ranks: int
    times: dict[int, float]


def series(file: Path = HERE / "open.csv") -> Iterator[Series]:
    """Return the series of a file of the campaign."""
    found: dict[tuple[str, str, str, str], Series] = {}
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            key = (row["machine"], row["nodes"], row["collective"], row["algorithm"])
            one = found.setdefault(key, Series(*key, int(row["ranks"]), {}))
            one.times[int(row["bytes"])] = 1e-6 * float(row["median_us"])
    yield from found.values()


def predict(asked: Series, options: Sequence[str] = ()) -> dict[int, float]:
    """Return the predicted seconds of a series, by the number of bytes.

    Args:
        asked: the series.
        options: further options of pysmpirun.

    Raises:
        RuntimeError: the simulation failed; the message has its output.
    """
    platform, library = MACHINES[asked.machine]
    chosen = [] if asked.algorithm == "default" else [f"--cfg=smpi/{asked.collective}:{asked.algorithm}"]
    # Consecutive ranks are on consecutive hosts, one on each.
    command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--quiet", "-np", str(asked.ranks),
               "--platform", platform, "--hostfile", "/dev/stdin", "--mpi", library,
               "--cfg=smpi/simulate-computation:no", *chosen, *options,
               str(HERE / "loop.py"), asked.collective, *map(str, asked.times)]  # fmt: skip
    placed = "".join(f"{platform}-{node}\n" for node in range(asked.ranks))
    run = subprocess.run(command, input=placed, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return dict(zip(asked.times, map(float, run.stdout.split()), strict=True))
