"""Times predicted with folded arrays beside those predicted with real data: python benchmarks/folding/run.py.

Two speeds of this machine are measured, those of NumPy's products of matrices, and of its sweeps of Jacobi's iteration
on 4 ranks. With these as the hosts' speed and their memory's bandwidth, both programs are simulated on 16 ranks, with
real data that are computed and measured, and with folded arrays. On a machine that does other work meanwhile, what is
measured takes longer by chance.
"""

import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
RANKS, REPETITIONS = 16, 5
CLUSTER = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" suffix="" radical="0-{last}" speed="{speed}f" bw="1.25GBps" lat="5us"/>
</platform>
"""
JACOBI, MATMUL = ("apps/jacobi/jacobi.py", "{side}", "30"), ("apps/matmul/matmul.py", "{side}")
# Of the points of a rank: arrays larger than the caches, and products long enough to be timed.
SIDES = {JACOBI: 1500, MATMUL: 768}


def simulated(program: tuple[str, ...], ranks: int, speed: float, bandwidth: float, folded: bool) -> float:
    """The seconds that the program reports."""
    side = SIDES[program] * round(ranks**0.5)
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as platform:
        platform.write(CLUSTER.format(last=ranks - 1, speed=speed))
        platform.flush()
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--quiet", "-np", str(ranks)]
        command += ["--platform", platform.name, f"--cfg=smpi/memory-bandwidth:{bandwidth}"]
        command += [f"--cfg=smpi/shared-malloc:{'global' if folded else 'no'}"]
        command += [part.format(side=side) for part in program]
        text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = re.search(r"ranks: ([-+.e\d]+) s", text)
    assert found is not None, text
    return float(found[1])


def speed_of_products(side: int) -> float:
    """Of this machine, flop/s."""
    a, c = np.random.default_rng(0).random((2, side, side))
    seconds = []
    for _ in range(2 * REPETITIONS):
        start = time.perf_counter()
        c += a @ a
        seconds.append(time.perf_counter() - start)
    return 2 * side**3 / statistics.median(seconds)


def typical(program: tuple[str, ...], ranks: int, speed: float, bandwidth: float) -> float:
    """The same with real data: the median of several runs, for other work on this machine disturbs them."""
    return statistics.median(simulated(program, ranks, speed, bandwidth, False) for _ in range(REPETITIONS))


def main() -> None:
    """Measure, simulate, and print."""
    speed = speed_of_products(SIDES[MATMUL])
    bandwidth = 1e10 * simulated(JACOBI, 4, speed, 1e10, True) / typical(JACOBI, 4, speed, 1e10)
    print(f"this machine: {speed / 1e9:.2f} Gflop/s, {bandwidth / 1e9:.2f} GB/s")
    for program in (JACOBI, MATMUL):
        real = typical(program, RANKS, speed, bandwidth)
        folded = simulated(program, RANKS, speed, bandwidth, True)
        name = pathlib.Path(program[0]).stem
        print(
            f"{name:8} on {RANKS} ranks: {real:.4f} s with real data, {folded:.4f} s folded ({folded / real - 1:+.1%})"
        )


if __name__ == "__main__":
    main()
