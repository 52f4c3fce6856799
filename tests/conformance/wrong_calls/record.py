"""Draw wrong calls, make them under a real MPI library, and print the table of outcomes.

    python tests/conformance/wrong_calls/record.py --seed 20 --count 2000 > tests/conformance/wrong_calls/mpich.jsonl

The table in the repository was recorded with MPICH 5.0.2 (the wheel `mpich`) and mpi4py 4.1, in several
parts. A call that crashes MPICH or lets it hang is recorded as such.
"""

import argparse
import json
import os
import pathlib
import sys

from draw import draw_cases
from running import run_calls

HERE = pathlib.Path(__file__).resolve().parent


def main() -> None:
    """Record the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--ranks", default="1,2,3", help="only the calls for these numbers of ranks")
    parser.add_argument("--patience", type=float, default=15.0, help="seconds after which a call hangs (15)")
    options = parser.parse_args()
    cases = draw_cases(options.seed, options.count)
    program = [sys.executable, str(HERE / "surroundings.py")]
    for ranks in map(int, options.ranks.split(",")):
        calls = [case.call for case in cases if case.ranks == ranks]
        command = program if ranks == 1 else [options.mpiexec, "-n", str(ranks), *program]
        outcomes = run_calls(command, calls, ranks, options.patience, dict(os.environ))
        for call, each in zip(calls, outcomes, strict=True):
            if not any(outcome.endswith("Error") for outcome in each):  # mpi4py has called MPI
                one = each[0] if len(set(each)) == 1 else each
                print(json.dumps({"ranks": ranks, "call": call, "mpich": one}), flush=True)


if __name__ == "__main__":
    main()
