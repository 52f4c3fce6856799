"""Command ``pysmpi collectives``: list the algorithms of collectives and compare their times."""

import argparse
import json
import math
import sys
from typing import TYPE_CHECKING

from pysmpi.cli.default_machine import default_machine
from pysmpi.errors import LaunchError, unknown
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser, add_words, size_of, words_of
from pysmpi.util.quantities import counted, human_bytes, human_seconds

if TYPE_CHECKING:
    from pysmpi.simulation.experiments.compare_collectives import Comparison, Trial

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi collectives`` and return the exit status."""
    parser = Parser(
        prog="pysmpi collectives",
        description="List the algorithms of an MPI collective, or simulate them all and compare their times: from\n"
        "when all ranks call to when the last one returns.",
    )
    parser.add_argument(
        "operation", nargs="?", metavar="OP", help="name such as allreduce; without it, all operations are listed"
    )
    parser.add_argument("--compare", action="store_true", help="simulate one call with each algorithm and selector")
    parser.add_argument("--np", type=int, metavar="P", help="number of ranks")
    parser.add_argument("--size", nargs="+", metavar="SIZE", default=[],
                        help="size of a rank's buffer, or of the block for each rank: 1000, 64KiB")  # fmt: skip
    parser.add_argument("--platform", metavar="FILE", help="the machine, as for pysmpirun")
    parser.add_argument("--hostfile", metavar="FILE", help="hosts to place ranks on, as for pysmpirun")
    parser.add_argument("--cfg", action="append", default=[], metavar="KEY:VALUE",
                        help="set a setting by SimGrid's name (repeatable)")  # fmt: skip
    add_words(parser)
    parser.add_argument("--plot", metavar="PICTURE", help="picture of the comparison: NAME.svg, .png or .pdf")
    parser.add_argument("--json", action="store_true", help="print unrounded numbers as JSON, in seconds")
    arguments = parser.parse_args(words)
    if arguments.compare:
        return _compare(arguments)
    for option in ("np", "size", "platform", "hostfile", "cfg", "smpi", "mpi", "fabric", "plot", "json"):
        if getattr(arguments, option):
            raise LaunchError(f"option --{option} has no effect without --compare")
    print(_overview() if arguments.operation is None else _algorithms(arguments.operation))
    return 0


def _overview() -> str:
    from pysmpi.simulation.collectives import OPERATIONS, SELECTORS, algorithms

    width = max(map(len, OPERATIONS)) + 2
    lines = [f"  {operation:{width}}{counted(len(algorithms(operation)), 'algorithm')}" for operation in OPERATIONS]
    return "\n".join(
        ["collectives (--cfg=smpi/NAME:ALGORITHM; pysmpi collectives NAME lists them)", *lines,
         f"selectors (--cfg=smpi/coll-selector:SELECTOR): {', '.join(SELECTORS)}"]
    )  # fmt: skip


def _algorithms(operation: str) -> str:
    from pysmpi.simulation.collectives import OPERATIONS, algorithms

    if operation not in OPERATIONS:
        raise LaunchError(unknown("collective", operation, OPERATIONS))
    rows = [("algorithm", "rounds", "bytes sent", "shape")]
    rows += [(each.name, each.rounds, each.traffic, each.shape) for each in algorithms(operation)]
    what = "the buffer of a rank, or a block of it where there is one a rank"
    title = f"{operation} on P ranks; n: {what}; bytes sent: by the busiest rank"
    return "\n".join([title, *aligned(rows, indent="  ")])


def _compare(arguments: argparse.Namespace) -> int:
    for option in ("operation", "np"):
        if getattr(arguments, option) is None:
            what = "OP" if option == "operation" else f"--{option}"
            raise LaunchError(f"option --compare: {what} is missing")
    if not arguments.size and arguments.operation != "barrier":
        raise LaunchError("option --compare: --size is missing")
    if arguments.platform is None:
        arguments.platform = default_machine("pysmpi collectives")
    sizes = [size_of("--size", text) for text in arguments.size]
    if arguments.plot is not None:
        from pysmpi.util.pictures import check_format

        check_format(arguments.plot)
    from pysmpi.simulation.experiments.compare_collectives import compare_algorithms

    comparison = compare_algorithms(
        arguments.operation,
        np=arguments.np,
        sizes=sizes,
        platform=arguments.platform,
        cfg=arguments.cfg,
        **words_of(arguments),
        hostfile=arguments.hostfile,
        progress=_show_progress,
    )
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print(_as_json(comparison) if arguments.json else _text(comparison, arguments.platform))
    if arguments.plot is not None:
        from pysmpi.simulation.experiments.plot_comparison import plot_comparison

        plot_comparison(comparison, arguments.plot)
    return 0


def _show_progress(choice: str, number: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{number} of {of}: {choice}", end="", file=sys.stderr, flush=True)


def _as_json(comparison: "Comparison") -> str:
    def listed(trials: "tuple[Trial, ...]") -> list[dict[str, object]]:
        return [{"choice": trial.choice, "seconds": trial.seconds, "notes": trial.notes} for trial in trials]

    return json.dumps(
        {
            "operation": comparison.operation,
            "ranks": comparison.ranks,
            "sizes": comparison.sizes,
            "algorithms": listed(comparison.algorithms),
            "selectors": listed(comparison.selectors),
        },
        indent=2,
    )


def _text(comparison: "Comparison", platform: str) -> str:
    sized = comparison.operation != "barrier"
    header = [human_bytes(size) if sized else "time" for size in comparison.sizes]
    ranked = sorted(comparison.algorithms, key=lambda trial: sum(map(math.log, trial.seconds)) if trial.seconds else 0)
    notes: list[str] = []
    lines: list[str] = []
    for title, trials in (("algorithm", ranked), ("selector", list(comparison.selectors))):
        rows = [(title, *(cell for name in header for cell in (name, "")))]
        for trial in trials:
            rows.append((trial.choice, *_cells(comparison, trial)))
            notes += [note for note in trial.notes if note not in notes]
        lines += aligned(rows, right=range(1, 2 * len(header), 2), indent="  ")
    title = f"{comparison.operation} on {counted(comparison.ranks, 'rank')} of {platform}; *: the fastest"
    return "\n".join([title, *lines, *(f"  {note}" for note in notes)])


def _cells(comparison: "Comparison", trial: "Trial") -> list[str]:
    cells = []
    for index in range(len(comparison.sizes)):
        if not trial.seconds:
            cells += ["failed", ""]
            continue
        seconds, best = trial.seconds[index], comparison.fastest(index)
        cells += [human_seconds(seconds), "*" if seconds == best else f"× {seconds / best:.3g}" if best > 0 else ""]
    return cells
