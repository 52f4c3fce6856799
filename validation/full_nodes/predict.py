"""Predict runs on full nodes: the platform and library of each machine, and one simulation for each series."""

import csv
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["MACHINES", "Machine", "Series", "machine_of", "predict", "series"]

HERE = Path(__file__).resolve().parent


class Machine(NamedTuple):
    """Inputs of a simulation that belong to a machine.

    Attributes:
        platform: file in the folder "platforms", without ".xml".
        library: MPI library, by pysmpi's name.
        cores: number of cores of a node, and of ranks on a full node.
    """

    platform: str
    library: str
    cores: int


MACHINES = {
    "aws": Machine("aws-hpc6a", "openmpi-4.1", 96),
    "azure": Machine("azure-hb120-96rs-v3", "openmpi-4.1", 96),
    "google": Machine("google-c2d", "openmpi-4.1", 56),
    "dane": Machine("llnl-dane", "openmpi-4.1", 112),
}
"""Inputs of each machine of the study. The library of Dane is not known."""


class Series(NamedTuple):
    """Measured times of a benchmark.

    Attributes:
        machine: cloud, or Dane.
        environment: environment of the study.
        benchmark: OSU's name.
        nodes: number of nodes.
        ranks_per_node: ranks on each node; for Dane, where it is not known, the cores of a node.
        times: median in seconds, by the number of bytes.
    """

    machine: str
    environment: str
    benchmark: str
    nodes: int
    ranks_per_node: int
    times: dict[int, float]

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.nodes * self.ranks_per_node


def machine_of(of: Series) -> Machine:
    """Return the inputs of a series' machine."""
    return MACHINES[of.machine]


def series(file: Path = HERE / "measured.csv") -> Iterator[Series]:
    """Return the series of a file that extract.py wrote."""
    found: dict[tuple[object, ...], Series] = {}
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            here = int(row["ranks_per_node"] or MACHINES[row["machine"]].cores)
            empty = Series(row["machine"], row["environment"], row["benchmark"], int(row["nodes"]), here, {})
            one = found.setdefault(empty[:5], empty)
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
    machine = machine_of(asked)
    command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--quiet", "-np", str(asked.ranks),
               "--platform", str(HERE / "platforms" / f"{machine.platform}.xml"), "--hostfile", "/dev/stdin",
               "--mpi", machine.library, "--cfg=smpi/simulate-computation:no", *options,
               str(HERE / "loop.py"), asked.benchmark, *map(str, asked.times)]  # fmt: skip
    placed = "".join(f"{machine.platform}-{node} slots={asked.ranks_per_node}\n" for node in range(asked.nodes))
    run = subprocess.run(command, input=placed, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return dict(zip(asked.times, map(float, run.stdout.split()), strict=True))
