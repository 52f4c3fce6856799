"""What the parts' command lines share."""

import argparse
import importlib.util
import sys
from collections.abc import Callable

from pysmpi.calibrate.outputs import Outputs
from pysmpi.cli.parser import Parser

__all__ = ["number_above", "part_parser", "tell", "write_picture"]


def part_parser(part: str, description: str, output: str) -> Parser:
    """A parser with the options that all parts have.

    Args:
        part: its name.
        description: what it does.
        output: what --output holds, for people.
    """
    parser = Parser(prog=f"pysmpi-calibrate {part}", description=description)
    parser.add_argument("--output", required=True, metavar="FILE",
                        help=f"{output}; beside it the measurements (.csv), a report (.txt), plots (.png)")  # fmt: skip
    return parser


def number_above(limit: float, kind: type[int] | type[float] = float) -> Callable[[str], float]:
    """Reads a number of an option."""

    def number(text: str) -> float:
        value = kind(text)
        if not limit < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not above {limit:g}")
        return value

    return number


def tell(text: str) -> None:
    """Writes what was done to standard error."""
    print(f"pysmpi-calibrate: {text}", file=sys.stderr)


def write_picture(outputs: Outputs, draw: Callable[[str], None]) -> None:
    """Draws the plots where matplotlib is installed, and says so where it is not."""
    if importlib.util.find_spec("matplotlib") is None:
        tell("no plots, for matplotlib is not installed: pip install matplotlib")
        return
    draw(str(outputs.picture))
