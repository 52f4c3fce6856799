"""Command ``pysmpi study``: simulate a program with many combinations of parameters."""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pysmpi.errors import LaunchError
from pysmpi.study.commands import verify as study_verify
from pysmpi.study.commands.analysis import ANALYSES, add_commands, analyse
from pysmpi.study.commands.model import add_options, model
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser
from pysmpi.util.commands.placed import printing_places
from pysmpi.util.quantities import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pysmpi.study import Study, Table
    from pysmpi.study.results_table import Cell

__all__ = ["main"]

_FAILED = 1
_SHOWN = 10  # largest number of failed points that are listed


def main(words: list[str]) -> int:
    """Run ``pysmpi study`` and return the exit status, which is 1 if simulations of the study have failed."""
    parser = Parser(
        prog="pysmpi study",
        description="Simulate a program under many conditions and collect the results in a table. STUDY is a\n"
        "TOML file; docs/studies.md tells what it holds, and 'pysmpi new study NAME' writes one.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    run = _command(commands, "run", "simulate all points that have no result yet")
    run.add_argument("--engine", default="local", metavar="ENGINE",
                     help="local, dask://HOST:PORT or slurm (default %(default)s)")  # fmt: skip
    run.add_argument(
        "--parallel", type=int, metavar="N", help="points at a time (default: as many as cores and memory permit)"
    )
    run.add_argument("--again", action="store_true", help="simulate failed points again")
    run.add_argument("--quiet", action="store_true", help="print no progress")
    _command(commands, "status", "print how many points are done, and which have failed and why")
    _command(commands, "points", "list the points without simulating them")
    export = _command(commands, "export", "write the table of results")
    export.add_argument("file", metavar="FILE", help="NAME.csv or NAME.parquet")
    add_commands({name: _command(commands, name, purpose) for name, purpose in ANALYSES.items()})
    purpose = "print formulas of requirements and other figures in the number of processes and the numeric factors"
    add_options(commands.add_parser("model", help=purpose, description=purpose[0].upper() + purpose[1:] + "."))
    purpose = "simulate one more point, and print how far the formulas are off there"
    study_verify.add_options(
        commands.add_parser("verify", help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
    )
    arguments = parser.parse_args(words)
    return printing_places(lambda: _act(arguments))


def _act(arguments: argparse.Namespace) -> int:
    if arguments.command == "verify":
        return study_verify.verify(arguments, _read)
    if arguments.command == "model":
        return model(arguments, _read)
    if arguments.command in ANALYSES:
        return analyse(arguments, *_read(arguments))
    return {"run": _run, "status": _status, "points": _points, "export": _export}[arguments.command](arguments)


def _command(commands: "argparse._SubParsersAction[Parser]", name: str, purpose: str) -> Parser:
    parser = commands.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
    parser.add_argument("study", metavar="STUDY", help="description of the study: NAME.toml")
    parser.add_argument(
        "--results", metavar="FOLDER", help="folder for results (default: NAME.results next to the description)"
    )
    return parser


def _run(arguments: argparse.Namespace) -> int:
    from pysmpi.study.complaint import Complaint
    from pysmpi.study.needs import missing_price
    from pysmpi.study.study_description import located
    from pysmpi.study.study_run import run, table_path

    study, results = _read(arguments)
    if arguments.parallel is not None and arguments.parallel < 1:
        raise LaunchError(f"option --parallel: {arguments.parallel} is not a whole number, 1 or more")
    if not arguments.quiet and (missing := missing_price(study, study.plan())) is not None:
        print(f"warning: {located(Path(arguments.study), missing)}", file=sys.stderr)
    try:
        table = run(
            study,
            results,
            engine=arguments.engine,
            parallel=arguments.parallel,
            again=arguments.again,
            progress=None if arguments.quiet else sys.stderr,
        )
    except Complaint as complaint:
        raise located(Path(arguments.study), complaint) from None
    except KeyboardInterrupt:
        print("pysmpi study: stopped; finished results are kept, and the same command continues", file=sys.stderr)
        raise
    return _tell(table) if arguments.quiet else _tell(table, f"; the table: {table_path(results)}")


def _status(arguments: argparse.Namespace) -> int:
    from pysmpi.study.store import Store
    from pysmpi.study.study_run import gather

    study, results = _read(arguments)
    store, points = Store(results), study.plan()
    former = store.count() - sum(store.read(key) is not None for key in {point.key for point in points})
    more = f"; {counted(former, 'result')} of former inputs kept" if former else ""
    return _tell(gather(study, points, store), more)


def _points(arguments: argparse.Namespace) -> int:
    study, _ = _read(arguments)
    names = [*study.varied(), *study.flat_derived]
    rows = [["point", "replicate", *names]]
    rows += [
        [str(point.number), str(point.replicate), *(str(point.values.get(name, "")) for name in names)]
        for point in study.plan()
    ]
    print("\n".join(aligned(rows, right=[0, 1])))
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from pysmpi.study.store import Store
    from pysmpi.study.study_run import gather

    study, results = _read(arguments)
    gather(study, study.plan(), Store(results)).write(arguments.file)
    return 0


def _read(arguments: argparse.Namespace) -> "tuple[Study, Path]":
    from pysmpi.study import Study

    path = Path(arguments.study)
    study = Study.read(path)
    return study, path.with_suffix(".results") if arguments.results is None else Path(arguments.results)


def _tell(table: "Table", more: str = "") -> int:
    """Print the number of simulations with each status, and the failed simulations; return the exit status."""
    states = Counter(str(row["status"]) for row in table)
    print(f"{counted(len(table), 'point')}: {', '.join(f'{states[each]} {each}' for each in states)}{more}")
    busy = [row for row in table if row.get("busy")]
    if busy:
        print(f"{counted(len(busy), 'point')} measured on a busy or throttled machine (column busy): ", end="")
        print(_numbers(busy) + f"; point {busy[0]['point']}: {busy[0]['busy']}")
    wrong = [row for row in table if row["status"] in ("failed", "killed")]
    for row in wrong[:_SHOWN]:
        values = ", ".join(f"{name}={row[name]}" for name in table.varied)
        error = str(row["error"]).partition("\n")[0]
        print(f"point {row['point']}{f' ({values})' if values else ''}: {error}", file=sys.stderr)
    if len(wrong) > _SHOWN:
        print(f"… and {len(wrong) - _SHOWN} more", file=sys.stderr)
    return _FAILED if wrong else 0


def _numbers(rows: "list[Mapping[str, Cell]]") -> str:
    """Return the numbers of the points (simulations) in the first rows, as text."""
    more = " …" if len(rows) > _SHOWN else ""
    return ", ".join(str(row["point"]) for row in rows[:_SHOWN]) + more
