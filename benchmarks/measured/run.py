"""Measured computation by the number of ranks: python benchmarks/measured/run.py [--ranks N,…] [--rounds N] [PROGRAM…].

All ranks run in one process, so their computation could be charged for what they share: the garbage collector, the
allocator, the caches, and the switch from rank to rank. Each program does the same work in every rank, whatever their
number. The table shows the measured seconds a step and rank beside the processor time of a real process that runs the
program alone, without and with two busy loops beside. Start-up does not count: each simulated figure is the difference
between a long and a short run. Figures are medians over the rounds. Goals: a row's figures within 25 % of each other,
and within 1.5 times the real process's.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

PROGRAMS = Path(__file__).resolve().parent / "programs"
NAMES = ("objects", "jacobi2d", "heat")
RANKS = (16, 256, 1024, 4096)
SHORT, LONG = 4, 16  # steps
REAL_LONG = 2000  # a real process takes so many steps, because its start-up takes long in comparison
MOST_APART, MOST_TIMES = 1.25, 1.5
REAL = """
import runpy, sys, time
import numpy
from mpi4py import MPI
begun = time.thread_time()
runpy.run_path(sys.argv[0], run_name="__main__")
print(time.thread_time() - begun)
"""
SIMULATED = """
import sys
import pysmpi
spent = pysmpi.simulate(sys.argv[0], args=[sys.argv[1]], np=int(sys.argv[2]), platform=f"flat:{sys.argv[2]}").time_spent
print(spent.clock_seconds / int(sys.argv[2]))
"""


def output_of(script: str, *words: str) -> float:
    """Return the number that a script prints last; `words` are sys.argv."""
    code = f"import sys; sys.argv = {json.dumps(words)}\n{script}"
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, **one_thread},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return float(done.stdout.split()[-1])


def real(program: str) -> float:
    """Return the processor seconds of a step in a real process."""
    return output_of(REAL, str(PROGRAMS / f"{program}.py"), str(REAL_LONG)) / REAL_LONG


def simulated(program: str, ranks: int) -> float:
    """Return the measured seconds of a step, the mean of the ranks."""
    path = str(PROGRAMS / f"{program}.py")
    short, long = (output_of(SIMULATED, path, str(steps), str(ranks)) for steps in (SHORT, LONG))
    return (long - short) / (LONG - SHORT)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Let busy loops run on this machine meanwhile."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def verdict(of_real: float, of_ranks: list[float]) -> str:
    """Return the spread of the simulated figures and their largest ratio to the real process's."""
    spread, times = max(of_ranks) / min(of_ranks), max(of_ranks) / of_real
    kept = spread <= MOST_APART and times <= MOST_TIMES
    return f"{'kept' if kept else 'MISSED'}: {spread:.2f} apart, at most {times:.2f} times the real process"


def main() -> int:
    """Measure and print; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description="Measured computation by the number of ranks.")
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)), metavar="N,…", help="numbers of ranks, or none")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each; the median is used (3)")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"one or more of {', '.join(NAMES)} (all)")
    arguments = parser.parse_intermixed_args()
    for name in arguments.programs:
        if name not in NAMES:
            parser.error(f"there is no program {name!r}; there are {', '.join(NAMES)}")
    numbers = [int(word) for word in arguments.ranks.split(",")]
    print(f"{'us a step and rank':24} {'real':>9}" + "".join(f"{number:9,}" for number in numbers), flush=True)
    missed = False
    for name in arguments.programs or NAMES:
        for loops in (0, 2):
            with busy(loops):
                rounds = range(arguments.rounds)
                of_real = median(real(name) for _ in rounds)
                of_ranks = [median(simulated(name, number) for _ in rounds) for number in numbers]
            figures = "".join(f"{seconds * 1e6:9.1f}" for seconds in (of_real, *of_ranks))
            words = verdict(of_real, of_ranks)
            missed = missed or words.startswith("MISSED")
            print(f"{name + (', 2 busy loops' if loops else ''):24} {figures}  {words}", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
