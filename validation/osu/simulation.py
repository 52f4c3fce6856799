"""Simulations of OSU's benchmarks of collectives, which predictions of several machines share."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Machine", "simulate"]


class Machine(NamedTuple):
    """Inputs of a simulation that belong to the machine.

    Attributes:
        platform: text of the platform file.
        library: MPI library (`pysmpirun --mpi`).
        hosts: name of each host, in order.
        cores: number of cores of a host.
    """

    platform: str
    library: str
    hosts: Sequence[str]
    cores: int


def simulate(
    machine: Machine, collective: str, places: Sequence[int], sizes: Sequence[int], algorithm: str = ""
) -> list[float]:
    """Return the seconds of a collective for each size, as OSU's benchmark would print them in microseconds.

    Args:
        machine: the machine.
        collective: barrier, bcast, allreduce, allgather or alltoall.
        places: core of each rank, numbered through all hosts.
        sizes: bytes of a message, as the benchmark counts them.
        algorithm: pysmpi's name of the algorithm, or "" for the library's choice.

    Raises:
        RuntimeError: the simulation failed; the message has its output.
    """
    count = max(places) + 1
    with tempfile.TemporaryDirectory() as folder:
        parameters, platform, hosts = (Path(folder) / name for name in ("asked.json", "platform.xml", "hosts"))
        parameters.write_text(json.dumps({"collective": collective, "places": list(places), "sizes": list(sizes)}))
        platform.write_text(machine.platform)
        hosts.write_text("".join(f"{machine.hosts[core // machine.cores]}\n" for core in range(count)))
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--mpi", machine.library, "--quiet",
                   "-np", str(count), "--platform", str(platform), "--hostfile", str(hosts),
                   "--cfg=smpi/simulate-computation:no",
                   *([f"--cfg=smpi/{collective}:{algorithm}"] if algorithm else []),
                   str(Path(__file__).with_name("osu.py")), str(parameters)]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return [float(line) for line in run.stdout.splitlines()]
