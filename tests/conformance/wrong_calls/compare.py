"""Make the recorded wrong calls in simulations, and compare the error classes with those of a real MPI library.

    python tests/conformance/wrong_calls/compare.py [--sample N] [--table FILE] [--verbose]

Each call is made in a simulation of its own, on 1 to 3 ranks. A call must not crash or hang. It must fail if MPICH
fails, with MPICH's error class, or a more specific one where that is MPI_ERR_ARG, MPI_ERR_OTHER or MPI_ERR_INTERN; it
may fail where MPICH does not notice the mistake. The exit status is 0 if this holds for all calls. `record.py` makes
the table.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import sys

from running import run_calls

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "mpich.jsonl"
SILENT = {"ok", "crash", "hang"}  # outcomes of calls whose mistake MPICH does not report
UNSPECIFIC = {"ARG", "OTHER", "INTERN"}  # classes where pysmpi names a more specific one
FREED = re.compile(r"\b(freed_\w+|closed_file|ended_session)\(\)")  # MPICH may find another object with this handle

# A communicator or window lives until all its ranks have freed it; until then its handle stays valid in each of them.
SHARED = re.compile(r"\bfreed_(comm|win)\(\)")


def is_as_good(call: str, mpich: str, here: str) -> bool:
    """Return whether the outcome in a rank is as good as MPICH's."""
    if here == mpich or (mpich in SILENT and here not in {"crash", "hang"}):
        return True
    fails = here not in {"ok", "crash", "hang"} and not here.endswith("Error")
    return fails and (mpich in UNSPECIFIC or FREED.search(call) is not None)


def main() -> int:
    """Compare and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="make only each Nth call")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    parser.add_argument("--patience", type=float, default=60.0, help="seconds after which a call hangs (60)")
    parser.add_argument("--verbose", action="store_true", help="print all calls, not only those that are worse")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.table.read_text().splitlines()][:: options.sample]
    count: collections.Counter[str] = collections.Counter()
    for ranks in sorted({row["ranks"] for row in rows}):
        ours = [row for row in rows if row["ranks"] == ranks]
        command = [sys.executable, str(HERE / "simulated.py"), str(ranks)]
        outcomes = run_calls(command, [row["call"] for row in ours], ranks, options.patience, dict(os.environ))
        for row, here in zip(ours, outcomes, strict=True):
            mpich = [row["mpich"]] * ranks if isinstance(row["mpich"], str) else row["mpich"]
            good = all(is_as_good(row["call"], *each) for each in zip(mpich, here, strict=True))
            if ranks > 1 and SHARED.search(row["call"]):
                good = "crash" not in here
            elif "hang" in mpich:  # the ranks that found the mistake left others waiting
                good = set(here) == {"DeadlockError"} or good
            verdict = "same" if mpich == here else ("stricter" if good else "worse")
            count[verdict] += 1
            if not good or (options.verbose and verdict != "same"):
                print(
                    f"{verdict}: {ranks} ranks, {row['call']}: MPICH {','.join(mpich)}, here {','.join(here)}",
                    flush=True,
                )
    print(f"{len(rows)} calls: " + ", ".join(f"{number} {verdict}" for verdict, number in count.most_common()))
    return 1 if count["worse"] else 0


if __name__ == "__main__":
    sys.exit(main())
