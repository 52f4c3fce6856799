"""Functions that the command lines of all parts of pysmpi-calibrate share."""

import argparse
import sys
from collections.abc import Callable
from typing import Any

from pysmpi.calibrate.outputs import Outputs
from pysmpi.calibrate.quality import FORCED, accepted
from pysmpi.errors import CalibrationError, PlatformError, PysmpiError
from pysmpi.platform.units import parse_quantity
from pysmpi.util.commands.parser import Parser
from pysmpi.util.pictures import MISSING, can_draw

__all__ = [
    "check_load",
    "notify",
    "number_above",
    "part_parser",
    "quantity",
    "refusal_of_ranks",
    "run_on_ranks",
    "write_all",
    "write_picture",
]

_WAIT = ". Measure when nothing else runs; --force measures in any case"


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
    parser.add_argument("--force", action="store_true",
                        help="accept a busy machine, values that are not plausible, and bad fits; the file says "
                        "so, and every run with it")  # fmt: skip
    return parser


def number_above(limit: float, kind: Callable[[str], float] = float) -> Callable[[str], float]:
    """Return a parser of numbers above `limit`, for the values of options; `kind` converts the text."""

    def number(text: str) -> float:
        try:
            value = kind(text)
        except PlatformError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        if not limit < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not above {limit:g}")
        return value

    return number


def quantity(kind: str) -> Callable[[str], float]:
    """Return a parser of quantities above 0, with units or in flop/s, bytes/s and seconds: "speed", "bandwidth" or
    "time"."""
    return number_above(0.0, lambda text: parse_quantity(text, kind))


def run_on_ranks(part: Callable[[list[str], Any], int], words: list[str]) -> int:
    """Run a part that measures messages on each rank of a real MPI, and return the exit status.

    Args:
        part: function of the command-line arguments and of the communicator of all ranks; the communicator is None with
            ``--from``, which only reads earlier measurements.
        words: command-line arguments after the name of the part.

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
    if not can_draw():
        notify(f"no plots: {MISSING}")
        return
    draw(str(outputs.picture))


def write_all(
    outputs: Outputs,
    document: dict[str, Any],
    report: str,
    draw: Callable[[str], None],
    *,
    force: bool,
) -> None:
    """Write the model and the report, and draw the plots.

    Args:
        outputs: the files.
        document: content of the model file.
        report: text of the report.
        draw: function that draws the plots into a file.
        force: whether to write a model that is not plausible.

    Raises:
        CalibrationError: the model is refused (`accepted`); only the report is written.
    """
    try:
        document = accepted(document, force)
    except CalibrationError:
        outputs.write_report(report)
        raise
    for reason in document.get(FORCED, []):
        notify(f"warning: written under --force: {reason}")
    outputs.write_model(document)
    outputs.write_report(report)
    write_picture(outputs, draw)


def check_load(force: bool) -> None:
    """Check that this machine is not busy before a measurement.

    Raises:
        CalibrationError: the machine is busy, and `force` is not set.
    """
    from pysmpi.calibrate.busy import busy_text

    if not force and (busy := busy_text()):
        raise CalibrationError(f"{busy}{_WAIT}")


def refusal_of_ranks(world: Any, force: bool) -> str:
    """Return the reason against measuring now, if a rank's machine is busy and `force` is not set, else an empty text.

    All ranks call this function, and all get the same text.
    """
    from pysmpi.calibrate.busy import busy_text

    busy = next((text for text in world.allgather("" if force else busy_text()) if text), "")
    return f"{busy}{_WAIT}" if busy else ""
