"""Compare the simulated times of random programs with those that SMPI gives them now.

    python tests/conformance/random_programs/smpi.py [--programs N] [--seed S]

The programs have one-sided communication and nonblocking collectives (tests/parity/mixed/programs.py). Each runs under
smpirun as a C program and under pysmpi, and every rank's clock must agree to 1e-6 after every step. The exit status is
0 if it does in 98 % of the programs that SMPI ends. Does nothing, and says so, if smpicc or smpirun is missing.
"""

import argparse
import contextlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pysmpi

MIXED = pathlib.Path(__file__).resolve().parents[2] / "parity" / "mixed"
sys.path.insert(0, str(MIXED))
import programs  # type: ignore[import-not-found]  # noqa: E402
import record  # type: ignore[import-not-found]  # noqa: E402

LEAST = 0.98
TOLERANCE = 1e-6


def simulated(case: programs.Case, folder: pathlib.Path) -> list[list[float]]:
    """Return the clock of each rank after each step; `folder` has the files of the case."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        pysmpi.simulate(
            MIXED / "mixed.py",
            np=case.np,
            platform=folder / "platform.xml",
            hosts=folder / "hosts",
            smpi=True,
            cfg=["smpi/simulate-computation:no", *case.cfg],
            args=[str(folder / "program")],
        )
    rows = re.findall(r"^R (\d+) (.*)$", printed.getvalue(), re.M)
    found = {int(rank): [float(time) for time in rest.split()] for rank, rest in rows}
    return [found[rank] for rank in range(case.np)]


def difference(times: list[list[float]], expected: list[list[float]]) -> float:
    """Return the greatest relative difference of two clocks."""
    pairs = [pair for rows in zip(times, expected, strict=True) for pair in zip(*rows, strict=True)]
    return max((abs(one - other) / max(other, 1e-9) for one, other in pairs), default=0.0)


def main() -> int:
    """Run the programs and print those that differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=300, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="the first program (1)")
    options = parser.parse_args()
    if not shutil.which("smpicc") or not shutil.which("smpirun"):
        print("random-programs-smpi: skipped, because smpicc or smpirun (SimGrid 3.32) is missing")
        return 0
    equal = compared = 0
    with tempfile.TemporaryDirectory() as built:
        interpreter = str(pathlib.Path(built) / "mixed")
        subprocess.run(["smpicc", "-O2", str(MIXED / "mixed.c"), "-o", interpreter], check=True)
        for seed in range(options.seed, options.seed + options.programs):
            case = programs.make_one_sided_case(seed)
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                expected = record.times_of(interpreter, case, folder)
                if expected is None:
                    print(f"program {seed}: SMPI does not end", flush=True)
                    continue
                differs = difference(simulated(case, folder), expected)
            compared += 1
            equal += differs <= TOLERANCE
            if differs > TOLERANCE:
                print(f"program {seed} on {case.np} ranks differs by {differs:.2g}: {' '.join(case.cfg)}", flush=True)
    print(f"{equal} of {compared} programs take the times of SMPI")
    return 0 if equal >= LEAST * compared else 1


if __name__ == "__main__":
    sys.exit(main())
