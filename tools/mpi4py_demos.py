"""Run mpi4py's demos, its benchmarks, and the examples of its tutorial under pysmpirun.

    python tools/mpi4py_demos.py [--include REGEX] [--source FOLDER] [--mpiexec COMMAND] [--verbose]

All come unmodified from mpi4py 4.1.2, from PyPI's source archive (or FOLDER, if unpacked there), with the command lines
of its makefiles, at several sizes. A demo fails if its exit status is not 0, or if its output differs from that under a
real MPI. `--mpiexec mpiexec` runs all under a real MPI. Extensions are compiled if MPICH's `mpicc` is found.
"""

import argparse
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator

from mpi4py_demo_table import DEMOS, NOT_RUN, Demo
from mpi4py_suite import PLATFORM, ROOT, fetch

LIMIT = 900  # time limit of a run in seconds
CANNOT_FETCH = 3  # exit status
SIMULATED = [sys.executable, "-m", "pysmpi.cli.run", "--platform", str(PLATFORM), "--quiet"]


def tutorial(source: pathlib.Path, folder: pathlib.Path) -> Iterator[Demo]:
    """Write the programs of mpi4py's tutorial into a folder, and yield their command lines."""
    folder.mkdir()
    text = (source / "docs" / "source" / "tutorial.rst").read_text()
    blocks = re.findall(r"^\* ([^*]+?)::\n\n((?: {3,}.*\n|\n)+)", text, re.M)
    for number, (title, block) in enumerate(blocks):
        program = textwrap.dedent(block)
        if "from mpi4py import MPI\n" not in program or ">>>" in program or "cupy" in program:
            continue
        if "np.int)" in program:  # removed in NumPy 1.24
            program = program.replace("np.int)", "np.intc)")
        worker = "Worker" in title
        name = "cpi.py" if worker else f"example_{number}.py"
        (folder / name).write_text(program)
        if not worker:
            master = "Master" in title
            yield Demo("tutorial", name, (1,) if master else (2, 16), prints=r"3\.1416009\d*\n" if master else "")
    for name, shape, each in (("contig", "n, 10", "[:, None]"), ("noncontig", "10, n", "")):
        found = f"numpy.fromfile('datafile.{name}', 'i').reshape({shape})"
        check = f"import numpy; n = 16; assert ({found} == numpy.arange(n){each}).all()"
        yield Demo("tutorial", f'-c "{check}"', (0,))


def missing(demo: Demo) -> str:
    """Return why a demo cannot be run here, or ""."""
    for need in filter(None, demo.needs.split()):
        if shutil.which(need) is None and importlib.util.find_spec(need) is None:
            return f"needs {need}"
    return ""


def run(demo: Demo, ranks: int, folder: pathlib.Path, mpiexec: list[str]) -> tuple[str, str]:
    """Run a demo; return the problem or "", and everything that was printed."""
    words = shlex.split(demo.command)
    if not mpiexec:
        launcher, environment = [*SIMULATED, "-np", str(ranks)], {"MPIEXEC": shlex.join(SIMULATED)}
    else:
        words = [word for word in words if not word.startswith("--cfg=")]
        launcher, environment = [*mpiexec, "-n", str(ranks)], {"MPIEXEC": shlex.join(mpiexec)}
        launcher += [] if words[0].startswith(("./", "python")) else [sys.executable]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path[1:]))
    if ranks == 0:
        launcher = [sys.executable]
    try:
        done = subprocess.run(
            [*launcher, *words], cwd=folder, input=demo.stdin, capture_output=True, text=True, errors="replace",
            timeout=LIMIT, check=False, env=os.environ | environment,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"did not end within {LIMIT} s", ""
    printed = done.stdout + done.stderr
    if done.returncode != 0:
        return f"exit status {done.returncode}", printed
    expected = demo.prints.replace("{{{n}}}", f"{{{ranks}}}").replace("{n}", str(ranks))
    return ("" if re.fullmatch(expected, done.stdout) else "prints something else"), printed


def main() -> int:
    """Run all demos and print a table; return 1 if one of them fails, 3 if there is no archive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", default="", metavar="REGEX", help="run only demos whose folder/command matches")
    parser.add_argument("--source", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--mpiexec", default="", metavar="COMMAND", help="a real MPI's launcher instead of pysmpirun")
    parser.add_argument("--verbose", action="store_true", help="print the output of failed runs")
    options = parser.parse_args()
    try:
        source = options.source or fetch(ROOT / "build" / "mpi4py-suite")
    except OSError as error:
        print(f"cannot fetch mpi4py's source archive: {error}", file=sys.stderr)
        return CANNOT_FETCH
    failures = runs = skipped = 0
    with tempfile.TemporaryDirectory() as temporary:
        copy = pathlib.Path(temporary)
        for part in ("demo", "test", "src", "conf"):  # some demos use the other folders
            shutil.copytree(source / part, copy / part)
        built: set[tuple[str, str]] = set()
        for demo in [*DEMOS, *tutorial(source, copy / "demo" / "tutorial")]:
            name = f"{demo.folder}/{demo.command}".removeprefix("/")
            if not re.search(options.include, name):
                continue
            reason = missing(demo)
            folder = copy / "demo" / demo.folder
            if not reason and demo.build and (demo.folder, demo.build) not in built:
                built.add((demo.folder, demo.build))
                made = subprocess.run(demo.build, shell=True, cwd=folder, capture_output=True, text=True, check=False)
                if made.returncode != 0:
                    print(made.stdout + made.stderr)
            if reason:
                skipped += 1
                print(f"{name:66.66} skipped: {reason}", flush=True)
                continue
            columns = []
            began = time.monotonic()
            for ranks in demo.sizes:
                wrong, printed = run(demo, ranks, folder, shlex.split(options.mpiexec))
                runs += 1
                failures += bool(wrong)
                columns.append(f"{ranks}: {wrong}" if wrong else str(ranks))
                if wrong and options.verbose:
                    print(f"--- {name} on {ranks} ranks: {wrong}\n{printed}", flush=True)
            state = "FAILED" if any(":" in column for column in columns) else "ran"
            print(f"{name:66.66} {state} on {', '.join(columns)} ({time.monotonic() - began:.1f} s)", flush=True)
    for name, reason in NOT_RUN.items():
        if re.search(options.include, name):
            print(f"{name:66.66} not run: {reason}")
    print(f"{runs} runs, {failures} failed; {skipped} demos skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
