"""Runs benchmarks and prints a table: how many a second, and how much memory there was after a tenth and at the end.

usage: python benchmarks/run.py [--scale FRACTION] [NAME…]

--scale 0.01 makes a hundredth of the rounds. Each benchmark is a program of this directory, which pysmpirun runs too:
    pysmpirun -np 4 --platform platforms/cluster.xml --cfg=smpi/simulate-computation:no benchmarks/messages.py 1000
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PLATFORM = HERE.parent / "platforms" / "cluster.xml"
NAMES = ("messages", "datatypes", "communicators", "collectives", "windows", "threads")
RANKS = 4
MEBIBYTE = 1 << 20


def measure(name: str, scale: float) -> dict[str, float]:
    """What a benchmark prints about itself."""
    program = HERE / f"{name}.py"
    whole = re.search(r"^churn\(([\d_]+),", program.read_text(), flags=re.M)
    assert whole is not None
    rounds = max(int(int(whole[1]) * scale), 20)
    command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "-np", str(RANKS), "--platform", str(PLATFORM), "--quiet"]
    command += ["--cfg=smpi/simulate-computation:no", str(program), str(rounds)]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    outcome: dict[str, float] = json.loads(run.stdout)
    return outcome


def main() -> None:
    """Runs those that the command line names, or all."""
    parser = argparse.ArgumentParser(description="Runs benchmarks.")
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the rounds (1)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)} (all)")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in NAMES:
            parser.error(f"there is no benchmark {name!r}; there are {', '.join(NAMES)}")
    print(f"{'benchmark':14} {'count':>12} {'a second':>12} {'MiB at 10 %':>12} {'at the end':>12}")
    for name in arguments.names or NAMES:
        outcome = measure(name, arguments.scale)
        rate = outcome["count"] / outcome["seconds"]
        early, end = outcome["early"] / MEBIBYTE, outcome["end"] / MEBIBYTE
        print(f"{name:14} {outcome['count']:12,.0f} {rate:12,.0f} {early:12.1f} {end:12.1f}", flush=True)


if __name__ == "__main__":
    main()
