"""Functions that the command lines of all parts of pysmpi-calibrate share."""

import argparse
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

from pysmpi.calibrate.outputs import Outputs
from pysmpi.cli.parser import Parser
from pysmpi.errors import PysmpiError

__all__ = ["notify", "number_above", "part_parser", "run_on_ranks", "write_all", "write_picture"]


def part_parser(part: str, description: str, output: str) -> Parser:
    """Return a command-line parser with the options that all parts share.

    Args:
        part: name of the part.
        description: description for ``--help``.
        output: description of the file of ``--output``.
    """
    parser = Parser(prog=f"pysmpi-calibrate {part}", description=description)
    parser.add_argument("--output", required=True, metavar="FILE",
                        help=f"{output}; beside it the measurements (.csv), a report (.txt), plots (.png)")  # fmt: skip
    return parser


def number_above(limit: float, kind: type[int] | type[float] = float) -> Callable[[str], float]:
    """Return a parser of numbers above `limit`, for the values of options."""

    def number(text: str) -> float:
        value = kind(text)
        if not limit < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not above {limit:g}")
        return value

    return number


def run_on_ranks(part: Callable[[list[str], Any], int], words: list[str]) -> int:
    """Run a part that measures messages on each rank of a real MPI, and return the exit status.

    Args:
        part: function of the command's words and of the communicator of all ranks; the latter is None with ``--from``,
            which only reads what has been measured.
        words: words of the command after the name of the part.

    Raises:
        PysmpiError: the part failed; it is raised on rank 0 only, and the status of the other ranks is 2.
    """
    world = None
    if not any(word == "--from" or word.startswith("--from=") for word in words):
        from mpi4py import MPI

        world = MPI.COMM_WORLD
    try:
        return part(words, world)
    except PysmpiError:
        if world is None or world.rank == 0:
            raise
        return 2


def notify(text: str) -> None:
    """Print a message to standard error."""
    print(f"pysmpi-calibrate: {text}", file=sys.stderr)


def write_picture(outputs: Outputs, draw: Callable[[str], None]) -> None:
    """Draw the plots, or print a message if matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        notify("no plots, because matplotlib is not installed: pip install matplotlib")
        return
    draw(str(outputs.picture))


def write_all(outputs: Outputs, document: dict[str, Any], report: str, draw: Callable[[str], None]) -> None:
    """Write the model and the report, and draw the plots."""
    outputs.write_model(document)
    outputs.write_report(report)
    write_picture(outputs, draw)
