"""Times predicted with folded arrays beside times with real data: python benchmarks/folding/run.py [ROUNDS].

Each round measures this machine as pysmpi-calibrate host does, with one busy core, and simulates programs with real
data, whose computation is measured. The minimum over all rounds is used, since disturbances lengthen a run. Then the
programs are simulated with folded arrays, whose operations take times from the medians of the machine's figures. The
processor clock excludes the time slices of other programs, but these still compete for caches and memory bandwidth.
Such disturbances slow ranks with real data down at different times, and all ranks wait for the slowest. The comparison
therefore needs an otherwise idle machine.
"""

import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from pysmpi.calibrate import Campaign
from pysmpi.calibrate.host import COLUMNS, Extent, HostModel, host_model, measure, plan

ROOT = Path(__file__).parents[2]
ROUNDS = 7
LARGEST_ERROR = 0.05  # of the programs in apps/
CLUSTER = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" suffix="" radical="0-{last}" speed="{speed}f" bw="1.25GBps" lat="5us"/>
</platform>
"""
KERNELS = "benchmarks/folding/kernels.py"
# Number of ranks and command of each program. The first two programs have blocks of 18 MB and 4.7 MB per rank.
PROGRAMS = [
    (16, "apps/jacobi/jacobi.py 6000 30"),
    (16, "apps/matmul/matmul.py 3072"),
    (1, f"{KERNELS} stencil 60 20"),
    (1, f"{KERNELS} stencil 150 5"),
    (1, f"{KERNELS} vectors 300000 20"),
    (1, f"{KERNELS} vectors 4000000 5"),
    (1, f"{KERNELS} leapfrog 2000 5"),
    (1, f"{KERNELS} scaling 1500 5"),
]


def measured(file: str, rounds: int) -> HostModel:
    """Return the model of this machine after `rounds` rounds, continuing earlier ones in the file."""
    with Campaign(file, COLUMNS, {}) as campaign:
        measure(campaign, plan(Extent(rounds=rounds, cores=(1,))), print)
        return host_model(campaign.table())


def simulated(ranks: int, command: str, machine: HostModel, *, folded: bool) -> float:
    """Return the seconds that the program reports."""
    settings = machine.settings() | {"smpi/computation-clock": "processor"}
    settings["smpi/shared-malloc"] = "global" if folded else "no"
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as platform:
        platform.write(CLUSTER.format(last=ranks - 1, speed=machine.speed))
        platform.flush()
        line = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--quiet", "-np", str(ranks), "--platform", platform.name]
        line += [f"--cfg={name}:{value}" for name, value in settings.items()]
        text = subprocess.run(line + command.split(), cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = re.search(r"ranks: ([-+.e\d]+) s", text)
    assert found is not None, text
    return float(found[1])


def main(rounds: int) -> int:
    """Measure, simulate, and print; return 1 if a program in apps/ is not predicted well enough."""
    # A rank's share of the machine is one core, also for products; the variables must be set before BLAS is loaded.
    os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    fresh = multiprocessing.get_context("spawn")
    times = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, rounds + 1):
            with ProcessPoolExecutor(1, fresh) as process:
                machine = process.submit(measured, f"{folder}/host.csv", number).result()
            for ranks, command in PROGRAMS:
                times[ranks, command].append(simulated(ranks, command, machine, folded=False))
    print(f"this machine: {machine.speed / 1e9:.1f} Gflop/s", *machine.settings().values(), flush=True)
    failed = False
    for (ranks, command), found in times.items():
        real, folded = min(found), simulated(ranks, command, machine, folded=True)
        error = folded / real - 1
        failed |= command.startswith("apps/") and abs(error) > LARGEST_ERROR
        print(
            f"{command:45} {ranks:2} ranks: {real * 1e3:8.2f} ms with real data (at most {max(found) * 1e3:.2f} ms), "
            f"{folded * 1e3:8.2f} ms folded: {error:+.1%}",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
