"""Command ``pysmpi aspen``: models of applications and machines in the language Aspen."""

import argparse
import sys
from collections.abc import Callable

from pysmpi.aspen.commands import print_cost, print_fit, print_info, print_roofline, print_sensitivity, print_sweep
from pysmpi.aspen.commands.words import positionals_first
from pysmpi.errors import PysmpiError
from pysmpi.util.commands.parser import Parser
from pysmpi.util.commands.placed import printing_places

__all__ = ["main"]

_NOT_VALID = 2  # exit status if a file is not valid


def main(words: list[str]) -> int:
    """Run ``pysmpi aspen`` with the arguments that follow it, and return the exit status."""
    parser = Parser(
        prog="pysmpi aspen",
        description="Read models in the language Aspen: what an application needs, what a machine can do, and how\n"
        "long the one takes on the other. docs/aspen.md explains the language and the rules.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    check = commands.add_parser(
        "check", help="check syntax, names and types of models, and that no definition uses itself"
    )
    check.add_argument("files", nargs="+", metavar="FILE", help="application or machine: NAME.aspen")
    info = commands.add_parser("info", help="print what an application needs, or what a machine can do")
    info.add_argument("model", metavar="FILE", help="application or machine, perhaps with values: m.aspen:numNodes=4")
    info.add_argument("values", nargs="*", metavar="NAME=VALUE", help="value of a parameter, such as n=2^16")
    info.add_argument("--formulas", action="store_true", help="print formulas of the parameters that are not set")
    info.add_argument("--json", action="store_true", help="print JSON")
    cost = commands.add_parser("cost", help="print how long an application takes on a machine, by kernel and resource")
    _add_models(cost, "NAME=VALUE", "value of the application's parameter")
    cost.add_argument("--json", action="store_true", help="print JSON")
    sweep = commands.add_parser("sweep", help="print figures at many values of parameters as CSV, or draw them")
    _add_models(sweep, "NAME=VALUES", "1,2,4 or 1..10:+1 or 2^10..2^20:*2; a name alone: ten steps over its range")
    sweep.add_argument("--of", default="runtime", metavar="FIGURES",
                       help="runtime (default), intensity, flops, bytes, messages; several with commas")  # fmt: skip
    sweep.add_argument("-o", dest="output", metavar="FILE", help="write CSV to a file")
    sweep.add_argument("--plot", metavar="PICTURE", help="draw the figures: NAME.svg, .png or .pdf")
    sweep.add_argument("--along", metavar="NAME", help="parameter of the picture's horizontal axis (default the first)")
    sweep.add_argument("--by", metavar="NAME", help="parameter whose values are lines of the picture")
    sweep.add_argument("--json", action="store_true", help="print JSON")
    roofline = commands.add_parser("roofline", help="print or draw rooflines of sockets, with kernels")
    _add_files(roofline)
    roofline.add_argument("values", nargs="*", metavar="NAME=VALUE", help="value of the application's parameter")
    roofline.add_argument("--socket", action="append", metavar="NAME", help="kind of sockets (default all); may repeat")
    roofline.add_argument("--kernel", action="append", metavar="NAME", help="kernel (default all); may repeat")
    roofline.add_argument("-o", dest="output", metavar="PICTURE", help="draw the rooflines: NAME.svg, .png or .pdf")
    roofline.add_argument("--json", action="store_true", help="print JSON")
    sensitivity = commands.add_parser("sensitivity", help="print by how much each parameter changes the time")
    _add_models(sensitivity, "NAME=VALUE", "value of the application's parameter")
    sensitivity.add_argument("--plot", metavar="PICTURE", help="draw a tornado: NAME.svg, .png or .pdf")
    sensitivity.add_argument("--json", action="store_true", help="print JSON")
    fit = commands.add_parser("fit", help="fit parameters that have a range to measured or simulated figures")
    _add_models(fit, "MEASURED.csv", "table with a column seconds, flops, bytes or messages; others are parameters, "
                "kernel, control, machine or socket. NAME=VALUE sets a parameter of the application")  # fmt: skip
    fit.add_argument(
        "-o", dest="output", metavar="FILE", help="write the application with the fitted values as defaults"
    )
    fit.add_argument("--json", action="store_true", help="print JSON")
    if words and words[0] in commands.choices:
        words = [words[0], *positionals_first(words[1:], commands.choices[words[0]])]
    arguments = parser.parse_args(words)
    act: Callable[[argparse.Namespace], int] = {
        "check": _check,
        "info": print_info.run,
        "cost": print_cost.run,
        "sweep": print_sweep.run,
        "roofline": print_roofline.run,
        "sensitivity": print_sensitivity.run,
        "fit": print_fit.run,
    }[arguments.command]
    return printing_places(lambda: act(arguments))


def _add_files(parser: Parser) -> None:
    parser.add_argument("model", metavar="APPLICATION", help="application: NAME.aspen")
    parser.add_argument("machine", metavar="MACHINE", help="machine, perhaps with values: m.aspen:numNodes=4")


def _add_models(parser: Parser, values: str, meaning: str) -> None:
    _add_files(parser)
    parser.add_argument("values", nargs="*", metavar=values, help=meaning)
    parser.add_argument("--socket", metavar="NAME", help="sockets that compute, if the machine has several kinds")
    parser.add_argument("--control", metavar="NAME", help="control flow; by default main, or the only one")
    parser.add_argument("--kernel", metavar="NAME", help="kernel, instead of a control flow")
    parser.add_argument("--rules", default="overlap", choices=["overlap", "ornl"],
                        help="parallel parts overlap (default), or add up as in ORNL's tools")  # fmt: skip


def _check(arguments: argparse.Namespace) -> int:
    from pysmpi.aspen.model_checks import check_file

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
