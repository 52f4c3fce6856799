"""Run packages from PyPI under MPICH and under pysmpirun, and write docs/packages.md.

    python benchmarks/packages/run.py [--table FOLDER] [--build FOLDER] [--page FILE] [--list] [--all] [PROGRAM…]

The programs of corpus.toml run one after the other in virtual environments below build/packages, made at the first
use. Results are kept in build/packages/results.json: without names, a program runs again only if its row, its
environment or pysmpi has changed; with names, those programs run again. `--all` runs all again. The exit status is 1
if a verdict is not the expected one.
"""

import argparse
import dataclasses
import functools
import hashlib
import json
import pathlib
import sys
from typing import Any

import corpus as table
import environments
import page
import runs
from compare import verdict

import pysmpi

ROOT = table.FOLDER.parents[1]
Result = dict[str, Any]


@functools.cache
def build_of_pysmpi() -> str:
    """Return a digest of the files of pysmpi, which tells builds apart."""
    digest = hashlib.sha256()
    for path in sorted(pathlib.Path(pysmpi.__file__).parent.rglob("*")):
        if path.suffix in (".py", ".so") or ".so." in path.name:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _measure(program: table.Program, corpus: table.Corpus, build: pathlib.Path, kept: Result, again: bool) -> Result:
    """Return the results of a program under both launchers; the results under MPICH are reused while the program's row
    is unchanged."""
    digest = corpus.digest(program)
    result: Result = kept if kept.get("digest") == digest else {"digest": digest}
    python = environments.prepare(corpus.requirements(program), build)
    if program.source:
        environments.unpack(program.source, build)
    for launcher in runs.LAUNCHERS:
        if launcher not in result or again or (launcher == "pysmpi" and result.get("build") != build_of_pysmpi()):
            result[launcher] = dataclasses.asdict(runs.run(program, corpus, python, launcher, build))
    return result | {"build": build_of_pysmpi()}


def _judge(program: table.Program, result: Result) -> Result:
    if "missing" in result:
        return result | {"verdict": "not installed", "cause": result["missing"]}
    here, there = (runs.Run(**result[launcher]) for launcher in ("pysmpi", "mpich"))
    found, cause = verdict(program, here, there)
    return result | {"verdict": found, "cause": cause}


def main() -> int:
    """Run what is missing or named, print a line for each, write the page; return 1 if a verdict is unexpected."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PROGRAM", help="names of programs; default: all")
    parser.add_argument("--table", type=pathlib.Path, default=table.FOLDER, metavar="FOLDER")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "packages", metavar="FOLDER")
    parser.add_argument("--page", type=pathlib.Path, metavar="FILE", help="write the table into this page")
    parser.add_argument("--list", action="store_true", help="print the names and what they exercise, and run nothing")
    parser.add_argument("--all", action="store_true", help="run programs again whose results are known")
    options = parser.parse_args()
    corpus = table.read(options.table)
    if options.list:
        for program in corpus.programs.values():
            print(f"{program.name:24} {program.exercises}")
        return 0
    if unknown := set(options.names) - set(corpus.programs):
        parser.error(f"no program is called {', '.join(sorted(unknown))}; --list prints the names")
    store = options.build / "results.json"
    results: dict[str, Result] = json.loads(store.read_text()) if store.is_file() else {}
    chosen = [corpus.programs[name] for name in options.names or corpus.programs]
    unexpected = 0
    for number, program in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] {program.name:24} ", end="", flush=True)
        try:
            again = options.all or bool(options.names)
            result = _measure(program, corpus, options.build, results.get(program.name, {}), again)
        except OSError as error:
            result = {"missing": str(error)}
        result = results[program.name] = _judge(program, result)
        options.build.mkdir(parents=True, exist_ok=True)
        store.write_text(json.dumps(results, indent=1))
        wrong = result["verdict"] not in program.expected.split(" or ")
        unexpected += wrong
        print(page.summary(result) + (f" (expected: {program.expected})" if wrong else ""), flush=True)
    if options.page:
        page.write(options.page, corpus, results)
    print(f"{len(chosen)} programs, {unexpected} with an unexpected verdict")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
