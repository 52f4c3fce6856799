"""Run mpi4py's test suite under pysmpirun, and compare the outcomes with those of real MPI libraries.

    python tools/mpi4py_suite.py [--sizes 1,2,4] [--include REGEX] [--jobs N] [--limit SECONDS] [--source FOLDER]
    [--verbose]

The suite comes unmodified from mpi4py 4.1.2, from PyPI's source archive (or FOLDER, if unpacked there). Each module
runs in a separate process, as many at a time as there are cores, so that a module that hangs or dies does not affect
others. A test passes if all ranks pass it. `tests/conformance/mpi4py-suite.json` holds the outcomes under MPICH 4.0.2
and Open MPI 4.1.4. The comparison is needed because the suite skips features that it finds broken.

The exit status is 0 if all tests that some real MPI passes pass, none fails, and tests are skipped only for lack of a
GPU, of fault tolerance or of the required number of ranks. It is 1 otherwise, and 3 if the suite cannot be fetched.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable

VERSION = "4.1.2"
SHA256 = "56860286dc45f20e8821e93cb06669e30462348bf866f685553fa4b712d58d02"
ROOT = pathlib.Path(__file__).resolve().parents[1]
STORED = ROOT / "tests" / "conformance" / "mpi4py-suite.json"
PLATFORM = ROOT / "platforms" / "cluster.xml"
LONGEST = {  # longest modules start first, so that all end together
    *("test_cco_vec", "test_cco_nb_vec", "test_cco_pr_vec"),
    *("test_util_dtlib", "test_datatype", "test_rma", "test_rma_nb", "test_io"),
}
MOST_RANKS = {"test_io.TestIOViewWorld": 12}  # its tests write 10 (rank + 1) + 2 as a signed char: MPICH hangs on 13
CANNOT_FETCH = 3

OUTCOME = re.compile(r"^\[(\d+)\] \w+ \((\w+\.\w+\.\w+)\) \.\.\. (?:\[\d+\] )?(.*)$")
REPORT = re.compile(r"^\[(\d+)\] (FAIL|ERROR): \w+ \((\w+\.\w+\.\w+)\)")  # subtests have no other line
NOTICE = re.compile(r"pysmpi: no simulated progress .*\n")  # of a slow test, between its name and its outcome
OUTCOMES = {"ok": "ok", "skipped": "skip", "FAIL": "fail", "ERROR": "error", "expected failure": "ok"}
SKIPS = {"'cupy'", "'numba'", "'mpi-comm_revoke'", "'comm.size==1'", "'mpi-world-size<2'", "'mpi-world-size>1'"}
WORST_FIRST = ("error", "fail", "skip", "ok")
COLUMNS = "{:>6} {:>6} {:>9} {:>8} {:>7} {:>7} {:>8} {:>14} {:>17}"


def fetch(folder: pathlib.Path) -> pathlib.Path:
    """Return the unpacked source archive, downloaded from PyPI if missing. Raises OSError if the download fails."""
    source = folder / f"mpi4py-{VERSION}"
    if source.is_dir():
        return source
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fresh:  # renamed when complete
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--no-binary", "mpi4py", "--dest", fresh, f"mpi4py=={VERSION}"]  # fmt: skip
        pip = subprocess.run(command, check=False, capture_output=True, text=True)
        if pip.returncode != 0:
            raise OSError((pip.stderr.strip() or f"pip's exit status is {pip.returncode}").splitlines()[-1])
        path = pathlib.Path(fresh) / f"mpi4py-{VERSION}.tar.gz"
        if (found := hashlib.sha256(path.read_bytes()).hexdigest()) != SHA256:
            sys.exit(f"{path.name} from the package index has the SHA-256 {found}, not {SHA256}")
        with tarfile.open(path) as archive:
            archive.extractall(fresh, filter="data")
        try:
            (pathlib.Path(fresh) / source.name).rename(source)
        except OSError:
            if not source.is_dir():
                raise
    return source


@dataclasses.dataclass
class Run:
    """Outcome of one module on a number of ranks."""

    module: str
    ranks: int
    outcomes: dict[str, str]  # by test id
    ended: str  # "" when it ended by itself, else how
    seconds: float
    printed: str

    def bad(self) -> list[str]:
        """Unexpected outcomes."""
        outcomes = [f"{test}: {outcome}" for test, outcome in self.outcomes.items() if outcome in {"fail", "error"}]
        skips = [f"{test}: skipped, {reason}" for test, reason in unexpected_skips(self.printed).items()]
        return ([f"it {self.ended}"] if self.ended else []) + outcomes + skips

    def __str__(self) -> str:
        count = collections.Counter(self.outcomes.values())
        said = [f"{count[outcome]} {outcome}" for outcome in reversed(WORST_FIRST) if count[outcome]]
        return f"{self.module}: {', '.join(said) or 'no test'}, {self.seconds:.1f} s"


def worst(outcomes: Iterable[str]) -> str:
    """Return the worst of several outcomes."""
    seen = set(outcomes)
    return next(outcome for outcome in WORST_FIRST if outcome in seen)


def parse(printed: str, ranks: int) -> dict[str, str]:
    """Return each test's outcome over all ranks; a test that a rank has not ended counts as an error."""
    by_test: dict[str, dict[int, list[str]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in NOTICE.sub("", printed).splitlines():
        if match := OUTCOME.match(line):
            word = next((word for word in OUTCOMES if match[3].startswith(word)), None)
            by_test[match[2]][int(match[1])].append(OUTCOMES[word] if word else "error")
        elif match := REPORT.match(line):
            by_test[match[3]][int(match[1])].append(OUTCOMES[match[2]])
    return {
        test: worst([worst(each) for each in of_ranks.values()] + ["error"] * (len(of_ranks) < ranks))
        for test, of_ranks in by_test.items()
    }


def unexpected_skips(printed: str) -> dict[str, str]:
    """Return the tests skipped for an unexpected reason, with the reason."""
    matches = [match for match in map(OUTCOME.match, printed.splitlines()) if match and match[3].startswith("skipped")]
    reasons = {match[2]: match[3].removeprefix("skipped").strip() for match in matches}
    return {test: reason for test, reason in reasons.items() if reason not in SKIPS}


def is_beyond(test: str, ranks: int) -> bool:
    """Return whether the test fails on this number of ranks under any MPI, because the test itself does not support
    it."""
    return any(test.startswith(name) and ranks > most for name, most in MOST_RANKS.items())


def run_module(tests: pathlib.Path, module: str, ranks: int, limit: float) -> Run:
    """Run the module's tests on the ranks, with a time limit in seconds."""
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", str(ranks), "--platform", str(PLATFORM), "--quiet",
               "--label", "main.py", "-v", "-i", rf"\b{module}\.py$"]  # fmt: skip
    paths = os.pathsep.join(filter(None, sys.path[1:]))
    environment = {"PYTHONFAULTHANDLER": "1"} | os.environ | {"PYTHONPATH": paths}
    began = time.monotonic()
    try:
        run = subprocess.run(
            command, cwd=tests, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit, check=False,
        )  # fmt: skip
        printed, status = run.stdout, run.returncode
        ended = f"died of {signal.Signals(-status).name}" if status < 0 else ""
    except subprocess.TimeoutExpired as error:
        printed, status = (error.stdout or b"").decode(errors="replace"), 1
        ended = f"was ended after {limit:g} s"
    parsed = parse(printed, ranks)
    outcomes = {test: outcome for test, outcome in parsed.items() if not is_beyond(test, ranks)}
    if len(outcomes) < len(parsed):
        status = 0  # of a run ended by such a test, which comes last
    if status != 0 and not ended and not {"fail", "error"} & set(outcomes.values()):
        ended = f"ended with exit status {status}"
    return Run(module, ranks, outcomes, ended, time.monotonic() - began, printed)


def show_progress(line: str, last: bool) -> None:
    """Print progress: on a terminal, a line replaces the previous one, and the last one is cleared."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="\r\033[K" if last else "", file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr, flush=True)


def run_modules(tests: pathlib.Path, modules: list[str], ranks: int, jobs: int, limit: float) -> list[Run]:
    """Run modules, `jobs` at a time, and print progress on standard error."""
    in_order = sorted(modules, key=lambda module: (module not in LONGEST, module))
    runs: list[Run] = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(run_module, tests, module, ranks, limit) for module in in_order]
        for future in concurrent.futures.as_completed(futures):
            runs.append(future.result())
            show_progress(f"{ranks} ranks, {len(runs)} of {len(modules)}: {runs[-1]}", len(runs) == len(modules))
    return sorted(runs, key=lambda run: run.module)


def print_broken(runs: list[Run], verbose: bool) -> None:
    """Print which runs went wrong and how, and what they printed: all, or the last lines of those that ended early."""
    for run in runs:
        print(f"{run.module} on {run.ranks} ranks: {'; '.join(run.bad())}")
        if verbose:
            print(run.printed)
        elif run.ended:
            print("\n".join(f"    {line}" for line in run.printed.splitlines()[-20:]))


def print_row(
    outcomes: dict[str, str], stored: dict[str, dict[str, str]], real: list[str], ranks: int, seconds: float
) -> None:
    """Print the row of a number of ranks: counts of outcomes, and how many tests each real MPI executes."""
    count = collections.Counter(outcomes.values())
    executed = [sum(each[key] == "ok" for each in stored.values()) for key in real] + ["-"] * (ranks == 1)
    row = (ranks, len(outcomes), *(count[outcome] for outcome in reversed(WORST_FIRST)))
    print(COLUMNS.format(*row, f"{seconds:.0f}", *executed), flush=True)
    if beyond := sum(is_beyond(test, ranks) for test in stored):
        print(f"       omitted: they fail on so many ranks under any MPI: {beyond} of {', '.join(MOST_RANKS)}")


def print_missed(missed: dict[str, list[int]]) -> None:
    """Print the tests that a real MPI passes and pysmpi does not, with the numbers of ranks."""
    for test, sizes in missed.items():
        print(f"{test} (on {', '.join(map(str, sizes))} ranks; a real MPI passes it)")
    print(f"{len(missed)} tests that a real MPI passes are not passed")


def passed_only_by_real(
    outcomes: dict[str, str], stored: dict[str, dict[str, str]], real: list[str], ranks: int
) -> list[str]:
    """Return the tests that a real MPI passes and pysmpi does not, with their outcomes."""
    return [
        f"{test}: {outcomes.get(test, 'not run')}"
        for test, each in stored.items()
        if "ok" in map(each.get, real) and outcomes.get(test) != "ok" and not is_beyond(test, ranks)
    ]


def options_of_line() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1,2,3,4,5,8,16")
    parser.add_argument("--include", default="", metavar="REGEX", help="run only modules whose name matches")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="parallel modules")
    parser.add_argument("--limit", type=float, default=3600, metavar="SECONDS", help="limit of each module (3600)")
    parser.add_argument("--source", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--verbose", action="store_true", help="print the output of failing modules")
    return parser.parse_args()


def main() -> int:
    """Run the suite at each size and compare."""
    options = options_of_line()
    try:
        source = options.source or fetch(ROOT / "build" / "mpi4py-suite")
    except OSError as error:
        print(f"cannot fetch the source archive of mpi4py {VERSION}: {error}", file=sys.stderr)
        return CANNOT_FETCH
    stored: dict[str, dict[str, str]] = json.loads(STORED.read_text())
    names = (each.stem for each in (source / "test").glob("test_*.py"))
    modules = sorted(name for name in names if re.search(options.include, name))
    stored = {test: real for test, real in stored.items() if test.partition(".")[0] in modules}

    header = ("ranks", "run", "executed", "skipped", "failed", "errors", "seconds")
    print(COLUMNS.format(*header, "MPICH executed", "Open MPI executed"), flush=True)
    missed: dict[str, list[int]] = collections.defaultdict(list)
    broken = []
    for ranks in map(int, options.sizes.split(",")):
        began = time.monotonic()
        runs = run_modules(source / "test", modules, ranks, options.jobs, options.limit)
        outcomes = {test: outcome for run in runs for test, outcome in run.outcomes.items()}
        broken += [run for run in runs if run.bad()]
        real = ["mpich_n1"] if ranks == 1 else ["mpich_n4", "openmpi_n4"]
        print_row(outcomes, stored, real, ranks, time.monotonic() - began)
        for test in passed_only_by_real(outcomes, stored, real, ranks):
            missed[test].append(ranks)

    print_broken(broken, options.verbose)
    print_missed(missed)
    return 1 if missed or broken else 0


if __name__ == "__main__":
    sys.exit(main())
