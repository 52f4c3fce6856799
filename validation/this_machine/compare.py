"""Real runs on this machine beside their simulation: python validation/this_machine/compare.py CAMPAIGN [PROGRAM…].

CAMPAIGN is a folder with platform.xml, host.json and blas.json of pysmpi-calibrate, made on this machine
(docs/calibration.md). Each program runs alternately under mpiexec and under pysmpirun on the platform; nothing is
fitted to the real runs. Medians over the rounds are compared, and the relative range that holds half of the real runs
is printed. The comparison needs an otherwise idle machine. In the simulation, BLAS calls take the time of the BLAS
model, reductions the time of sums that host.json has, and other computation is measured while as many cores compute as
there are ranks. --without leaves out one of these parts, or all three. The exit status is 1 if an error exceeds 5 %.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pysmpi.calibrate.provenance import machine_text

ROOT = Path(__file__).parents[2]
PROGRAMS = "validation/this_machine/programs"
GOAL = 0.05
BUSY, REDUCTION = "smpi/busy-cores", "smpi/reduction-bandwidth"
NUMBER = r"([-+.e\d]+)"


class Program(NamedTuple):
    """Program with its ranks, its command, and the place of the seconds in its output."""

    ranks: int
    command: str
    seconds: str


def linpack(ranks: int, n: int) -> Program:
    """Return HPL with real computation, on one row of processes."""
    found = rf"^WR\S+ +{n} +\d+ +\d+ +\d+ +{NUMBER}"
    return Program(ranks, f"apps/hpl/hpl.py --n {n} --p 1 --q {ranks} --exact", found)


CASES = {
    "ping-pong of 8 B": Program(2, f"{PROGRAMS}/ping_pong.py 8 5000", f"took {NUMBER}"),
    "ping-pong of 4 KiB": Program(2, f"{PROGRAMS}/ping_pong.py 4096 5000", f"took {NUMBER}"),
    "ping-pong of 64 KiB": Program(2, f"{PROGRAMS}/ping_pong.py 65536 1000", f"took {NUMBER}"),
    "ping-pong of 1 MiB": Program(2, f"{PROGRAMS}/ping_pong.py 1048576 100", f"took {NUMBER}"),
    "allreduce of 8 B": Program(2, f"{PROGRAMS}/allreduce.py 1 5000", f"took {NUMBER}"),
    "allreduce of 64 KiB": Program(2, f"{PROGRAMS}/allreduce.py 8192 1000", f"took {NUMBER}"),
    "stencil 400, 500 sweeps": Program(2, "apps/jacobi/jacobi.py 400 500", f"ranks: {NUMBER} s"),
    "stencil 1500, 20 sweeps": Program(2, "apps/jacobi/jacobi.py 1500 20", f"ranks: {NUMBER} s"),
    "stencil 1500, 60 sweeps": Program(2, "apps/jacobi/jacobi.py 1500 60", f"ranks: {NUMBER} s"),
    "HPL 1500 on 1 rank": linpack(1, 1500),
    "HPL 1500 on 2 ranks": linpack(2, 1500),
}


def seconds_of(program: Program, launcher: list[str]) -> float:
    """Return the seconds that one run reports."""
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [*launcher, *program.command.split()],
        cwd=ROOT,
        env={**os.environ, **one_thread},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(program.seconds, done.stdout, re.MULTILINE)
    if done.returncode or found is None:
        raise SystemExit(f"{' '.join(done.args)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return float(found[1])


def simulator_of(campaign: Path, left_out: str | None) -> list[str]:
    """Return the command that simulates the machine of a campaign, with or without a part of its model."""
    words = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--quiet", "--platform", f"{campaign}/platform.xml"]
    if left_out == "all":
        return [*words, "--smpi", "--cfg=smpi/coll-selector:mpich-4", "--cfg=smpi/shared-malloc:no",
                "--blas", f"{campaign}/blas.json"]  # fmt: skip
    words += ["--mpi", "mpich-4", "--cfg=smpi/shared-malloc:no"]
    if left_out != "blas":
        words += ["--blas", f"{campaign}/blas.json"]
    if left_out != "busy":
        words.append(f"--cfg={BUSY}:auto")
    if left_out != "reduction":
        settings = json.loads((campaign / "host.json").read_text())["settings"]
        words.append(f"--cfg={REDUCTION}:{settings[REDUCTION]}")
    return words


def main() -> int:
    """Run and print; return 1 if a program's prediction misses the goal."""
    parser = argparse.ArgumentParser(description="Real runs beside their simulation.")
    parser.add_argument(
        "campaign", type=Path, metavar="CAMPAIGN", help="folder with platform.xml, host.json and blas.json"
    )
    parser.add_argument("--rounds", type=int, default=9, metavar="N", help="runs of each; the median is used (9)")
    parser.add_argument("--without", choices=("blas", "busy", "reduction", "all"),
                        help="part of the model to leave out; all: SMPI's defaults")  # fmt: skip
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"one or more of {', '.join(CASES)} (all)")
    arguments = parser.parse_intermixed_args()
    for name in arguments.programs:
        if name not in CASES:
            parser.error(f"there is no program {name!r}; there are {', '.join(CASES)}")
    mpiexec = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
    if mpiexec is None:
        parser.error("no mpiexec is beside this interpreter or on PATH; install one, such as with: pip install mpich")
    for name in ("platform.xml", "host.json", "blas.json"):
        if not (arguments.campaign / name).is_file():
            parser.error(f"{arguments.campaign} has no {name}; give a folder with the models of pysmpi-calibrate")
    measured_on = json.loads((arguments.campaign / "host.json").read_text())["provenance"]["machine"]
    if measured_on != machine_text():
        print(f"{arguments.campaign} was measured on another machine: {measured_on}, not {machine_text()}")
    simulator = simulator_of(arguments.campaign.resolve(), arguments.without)
    print(f"{'':26} {'measured':>14} {'half within':>12} {'predicted':>14} {'error':>8}")
    failed = False
    for name in arguments.programs or CASES:
        program = CASES[name]
        ranks = str(program.ranks)
        launchers = [[mpiexec, "-n", ranks, sys.executable], [*simulator, "-np", ranks]]
        rounds = [[seconds_of(program, launcher) for launcher in launchers] for _ in range(arguments.rounds)]
        real = [taken for taken, _ in rounds]
        measured, predicted = median(real), median(taken for _, taken in rounds)
        spread = median(abs(taken - measured) for taken in real) / measured
        error = predicted / measured - 1
        failed |= abs(error) > GOAL
        times = f"{measured * 1e3:11.3f} ms {spread:12.1%} {predicted * 1e3:11.3f} ms"
        print(f"{name:26} {times} {error:+8.1%}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
