"""Command ``pysmpi aspen``: models of applications and machines in the language Aspen."""

import argparse
import sys
from collections.abc import Callable

from pysmpi.cli.parser import Parser
from pysmpi.cli.placed import printing_places
from pysmpi.errors import PysmpiError

__all__ = ["main"]

_NOT_VALID = 2  # exit status if a file is not valid


def main(words: list[str]) -> int:
    """Run ``pysmpi aspen`` and return the exit status."""
    parser = Parser(
        prog="pysmpi aspen",
        description="Read models in the language Aspen: what an application needs, what a machine can do, and how\n"
        "long the one takes on the other. docs/aspen.md explains the language and the rules.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    check = commands.add_parser("check", help="check syntax, names, kinds and circles of models")
    check.add_argument("files", nargs="+", metavar="FILE", help="application or machine: NAME.aspen")
    arguments = parser.parse_args(words)
    act: Callable[[argparse.Namespace], int] = {"check": _check}[arguments.command]
    return printing_places(lambda: act(arguments))


def _check(arguments: argparse.Namespace) -> int:
    from pysmpi.aspen.check import check_file

    status = 0
    for path in arguments.files:
        try:
            checked = check_file(path)
        except PysmpiError as error:
            print(error, file=sys.stderr)
            status = _NOT_VALID
            continue
        for place, text in checked.warnings:
            print(f"{place}: warning: {text}", file=sys.stderr)
        print(f"{path}: {checked.summary}")
    return status
