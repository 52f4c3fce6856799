"""Functions that the command lines of all parts of pysmpi-calibrate share."""

import argparse
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

from pysmpi.calibrate.outputs import Outputs
from pysmpi.cli.parser import Parser

__all__ = ["notify", "number_above", "part_parser", "write_all", "write_picture"]


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
