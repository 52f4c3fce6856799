"""mpi4py's own test suite under pysmpirun, held against what real MPIs make of it.

    python tools/mpi4py_suite.py [--sizes 1,2,4] [--include REGEX] [--source FOLDER] [--verbose]

The suite is that of mpi4py 4.1.2, unmodified, from PyPI's source archive (or FOLDER, where it has been unpacked). Each
module runs on its own, so that one that hangs or dies takes no other with it. Every rank's outcome of a test counts: it
is passed when all ranks pass it. `tests/conformance/mpi4py-suite.json` has the outcomes under MPICH 4.0.2 and Open MPI
4.1.4; a bare "OK" would prove nothing, as the suite skips what it finds not to work.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time

VERSION = "4.1.2"
ROOT = pathlib.Path(__file__).resolve().parents[1]
STORED = ROOT / "tests" / "conformance" / "mpi4py-suite.json"
PLATFORM = ROOT / "platforms" / "cluster.xml"
LIMIT = 600  # seconds for a module
OUTCOME = re.compile(r"^\[(\d+)\] \w+ \((\w+\.\w+\.\w+)\) \.\.\. (?:\[\d+\] )?(.*)$")
OUTCOMES = {"ok": "ok", "skipped": "skip", "FAIL": "fail", "ERROR": "error", "expected failure": "ok"}


def fetch(folder: pathlib.Path) -> pathlib.Path:
    """The unpacked source archive, from PyPI unless the folder has it."""
    source = folder / f"mpi4py-{VERSION}"
    if not source.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation",
                   "--no-binary", "mpi4py", "--dest", str(folder), f"mpi4py=={VERSION}"]  # fmt: skip
        subprocess.run(command, check=True)
        with tarfile.open(folder / f"mpi4py-{VERSION}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return source


def run_module(tests: pathlib.Path, module: str, ranks: int) -> tuple[dict[str, str], str]:
    """Each test's outcome on all ranks together, and what the run printed."""
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", str(ranks), "--platform", str(PLATFORM), "--quiet",
               "--label", "main.py", "-v", "-i", rf"\b{module}\.py$"]  # fmt: skip
    try:
        run = subprocess.run(
            command, cwd=tests, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=LIMIT, check=False, env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path[1:]))},
        )  # fmt: skip
        printed = run.stdout + run.stderr
    except subprocess.TimeoutExpired as error:
        printed = f"{(error.stderr or b'').decode(errors='replace')}\nno end within {LIMIT} s"
    by_test: dict[str, dict[int, str]] = collections.defaultdict(dict)
    for line in printed.splitlines():
        if match := OUTCOME.match(line):
            words = next((word for word in OUTCOMES if match[3].startswith(word)), None)
            by_test[match[2]][int(match[1])] = OUTCOMES[words] if words else "error"
    worst = ("error", "fail", "skip", "ok")
    outcomes = {}
    for test, of_ranks in by_test.items():
        seen = set(of_ranks.values()) | ({"error"} if len(of_ranks) < ranks else set())
        outcomes[test] = next(outcome for outcome in worst if outcome in seen)
    return outcomes, printed


def main() -> int:
    """Runs the suite at each size and compares; 1 when a test that some real MPI passes is not passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1,2,3,4,5,8,16")
    parser.add_argument("--include", default="", metavar="REGEX")
    parser.add_argument("--source", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--verbose", action="store_true", help="print what failing modules print")
    options = parser.parse_args()
    source = options.source or fetch(ROOT / "build" / "mpi4py-suite")
    stored: dict[str, dict[str, str]] = json.loads(STORED.read_text())
    names = (each.stem for each in (source / "test").glob("test_*.py"))
    modules = sorted(name for name in names if re.search(options.include, name))
    stored = {test: real for test, real in stored.items() if test.partition(".")[0] in modules}
    missed: dict[str, list[int]] = collections.defaultdict(list)
    columns = "{:>6} {:>6} {:>9} {:>8} {:>7} {:>7} {:>8} {:>14} {:>16}"
    header = (
        "ranks",
        "run",
        "executed",
        "skipped",
        "failed",
        "errors",
        "seconds",
        "MPICH executed",
        "Open MPI executed",
    )
    print(columns.format(*header))
    broken = False
    for ranks in map(int, options.sizes.split(",")):
        began = time.monotonic()
        outcomes: dict[str, str] = {}
        for module in modules:
            found, printed = run_module(source / "test", module, ranks)
            outcomes |= found
            of_module = {test for test in stored if test.startswith(f"{module}.")}
            if options.verbose and (of_module - found.keys() or {"fail", "error"} & set(found.values())):
                print(f"--- {module} on {ranks} ranks\n{printed}", flush=True)
        count = collections.Counter(outcomes.values())
        real = "n1" if ranks == 1 else "n4"
        passed = {
            key: sum(each.get(key) == "ok" for each in stored.values()) for key in (f"mpich_{real}", "openmpi_n4")
        }
        row = (ranks, len(outcomes), count["ok"], count["skip"], count["fail"], count["error"],
               f"{time.monotonic() - began:.0f}", *passed.values())  # fmt: skip
        print(columns.format(*row), flush=True)
        broken |= bool(count["fail"] or count["error"])
        for test, each in stored.items():
            expected = [each.get("mpich_n1")] if ranks == 1 else [each.get("mpich_n4"), each.get("openmpi_n4")]
            if "ok" in expected and outcomes.get(test) != "ok":
                missed[f"{test}: {outcomes.get(test, 'not run')}"].append(ranks)
    for test, sizes in missed.items():
        print(f"{test} (on {', '.join(map(str, sizes))} ranks; a real MPI passes it)")
    print(f"{len(missed)} tests that a real MPI passes are not passed")
    return 1 if missed or broken else 0


if __name__ == "__main__":
    sys.exit(main())
