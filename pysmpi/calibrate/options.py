"""Options that all commands of pysmpi-calibrate share, and parsers of options' values."""

import argparse
from collections.abc import Callable

from pysmpi.errors import PlatformError
from pysmpi.platform.units import parse_quantity
from pysmpi.util.commands.parser import Parser

__all__ = ["number_above", "part_parser", "quantity"]


def part_parser(part: str, description: str, output: str) -> Parser:
    """Return a command-line parser with the options that all parts share.

    Args:
        part: name of the subcommand.
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
    """Return a parser of quantities above 0, for the values of options.

    Args:
        kind: "speed", "bandwidth" or "time". Numbers without a unit are in flop/s, bytes/s or seconds.
    """
    return number_above(0.0, lambda text: parse_quantity(text, kind))
