"""Make the recorded wrong calls in simulations, and compare the error classes with those of real MPI libraries.

    python tests/conformance/wrong_calls/compare.py [--library NAME] [--sample N] [--table FILE] [--verbose]

Each call is made in a simulation of its own, on 1 to 3 ranks, with the setting mpi of the library. A call must not
crash or hang. It must fail if the library fails, with the library's error class, or a more specific one where that is
MPI_ERR_ARG, MPI_ERR_OTHER, MPI_ERR_INTERN or MPI_ERR_UNKNOWN; it may fail where the library does not notice the
mistake. The exit status is 0 if this holds for all calls. `record.py` makes the tables.
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
LIBRARIES = {"mpich": "mpich-4", "openmpi": "openmpi-5.0"}  # tables, and the setting mpi of each
SILENT = {"ok", "crash", "hang"}  # outcomes of calls whose mistake the library does not report
UNSPECIFIC = {"ARG", "OTHER", "INTERN", "UNKNOWN"}  # classes where pysmpi names a more specific one
FREED = re.compile(r"\b(freed_\w+|closed_file|ended_session)\(\)")  # another object may have this handle

# Open MPI reports these mistakes differently, in ways that are not followed: it looks first at another argument that is
# wrong, too, lacks the function, or takes the info of a null file for that of a communicator.
NOT_FOLLOWED = {
    "MPI.INFO_NULL.Set('name', 'v' * 5000)",
    "MPI.FILE_NULL.Get_info()",
    "MPI.Intracomm.Create_from_group(g, '', MPI.INFO_NULL, MPI.ERRORS_RETURN)",
    "c.Alltoallw([None, ONES, ZEROS, [D] * n], [b, ONES, ZEROS, [MPI.DATATYPE_NULL] * n])",
    "MPI.COMM_NULL.Set_info(MPI.INFO_NULL)",
    "MPI.Info.Create().Set('name', '')",
    "c.Sendrecv_replace([b, 1, D], -2**31, -2, MPI.PROC_NULL, 0)",
}

# A communicator or window lives until all its ranks have freed it; until then its handle stays valid in each of them.
SHARED = re.compile(r"\bfreed_(comm|win)\(\)")


def is_as_good(call: str, there: str, here: str) -> bool:
    """Return whether the outcome in a rank is as good as the library's."""
    if here == there or (there in SILENT and here not in {"crash", "hang"}):
        return True
    fails = here not in {"ok", "crash", "hang"} and not here.endswith("Error")
    return fails and (there in UNSPECIFIC or FREED.search(call) is not None)


def main() -> int:
    """Compare and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="make only each Nth call")
    parser.add_argument("--library", choices=LIBRARIES, default="mpich")
    parser.add_argument("--table", type=pathlib.Path, help="the library's own if omitted")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds after which a call hangs (60)")
    parser.add_argument("--verbose", action="store_true", help="print all calls, not only those that are worse")
    options = parser.parse_args()
    table = options.table or HERE / f"{options.library}.jsonl"
    rows = [json.loads(line) for line in table.read_text().splitlines()][:: options.sample]
    count: collections.Counter[str] = collections.Counter()
    for ranks in sorted({row["ranks"] for row in rows}):
        ours = [row for row in rows if row["ranks"] == ranks]
        command = [sys.executable, str(HERE / "simulated.py"), LIBRARIES[options.library], str(ranks)]
        outcomes = run_calls(command, [row["call"] for row in ours], ranks, options.patience, dict(os.environ))
        for row, here in zip(ours, outcomes, strict=True):
            there = row[options.library]
            there = [there] * ranks if isinstance(there, str) else there
            good = all(is_as_good(row["call"], *each) for each in zip(there, here, strict=True))
            if options.library == "openmpi" and row["call"] in NOT_FOLLOWED:
                good = not set(here) & {"crash", "hang"}
            elif ranks > 1 and SHARED.search(row["call"]):
                good = "crash" not in here
            elif "hang" in there:  # the ranks that found the mistake left others waiting
                good = set(here) == {"DeadlockError"} or good
            verdict = "same" if there == here else ("stricter" if good else "worse")
            count[verdict] += 1
            if not good or (options.verbose and verdict != "same"):
                outcomes_of_both = f"{options.library} {','.join(there)}, here {','.join(here)}"
                print(f"{verdict}: {ranks} ranks, {row['call']}: {outcomes_of_both}", flush=True)
    print(f"{len(rows)} calls: " + ", ".join(f"{number} {verdict}" for verdict, number in count.most_common()))
    return 1 if count["worse"] else 0


if __name__ == "__main__":
    sys.exit(main())
