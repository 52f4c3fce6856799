"""Command ``pysmpi estimate``: what a sequential NumPy program would send on many nodes."""

import argparse
import json
import math
import sys
from typing import TYPE_CHECKING, Any

from pysmpi.errors import LaunchError, PlatformError
from pysmpi.platform.units import parse_quantity
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser, size_of
from pysmpi.util.new_directory import refuse_used
from pysmpi.util.quantities import counted

if TYPE_CHECKING:
    from pysmpi.estimates import Estimate

__all__ = ["main"]

_FAILED = 1
_SHOWN = 8  # largest number of statements that are printed


def main(words: list[str]) -> int:
    """Run the command ``pysmpi estimate``.

    Args:
        words: command-line arguments after the name of the command.

    Returns:
        The exit status: 1 if the program cannot be followed, or if --compare finds a difference; else 0.
    """
    parser = Parser(
        prog="pysmpi estimate",
        description="Run a sequential NumPy program, unmodified, and count what it would send if its arrays were\n"
        "divided among nodes. docs/estimate.md explains the figures.",
    )
    parser.add_argument("program", metavar="PROGRAM", help="Python file of the program")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs="*",
                        help="argument of the program; {n} stands for the values of --size n=…")  # fmt: skip
    parser.add_argument("--size", action="append", default=[], metavar="NAME=N,N,…",
                        help="values of a parameter, one run for each (repeatable)")  # fmt: skip
    parser.add_argument("--at", action="append", default=[], metavar="NAME=N",
                        help="size whose figures are extrapolated from those of --size (repeatable)")  # fmt: skip
    parser.add_argument("--platform", metavar="FILE",
                        help="machine on which the exchange is simulated, one node on each host")  # fmt: skip
    parser.add_argument("--nodes", metavar="N,N,…",
                        help="numbers of nodes; 2:4096 doubles from 2 to 4,096 (default 2:16)")  # fmt: skip
    parser.add_argument("--cut", choices=["best", "blocks", "graph"], default="best", metavar="KIND",
                        help="cuts that are compared: blocks, graph (with partitioners) or best (default: both,\n"
                        "but blocks only with --at)")  # fmt: skip
    parser.add_argument("--blocks", metavar="NxN", help="factors by which the axes of arrays are divided, such as 4x4")
    parser.add_argument("--speed", metavar="SPEED", help="speed of a node, such as 50Gf (default: the platform's)")
    parser.add_argument("--bandwidth", metavar="BANDWIDTH",
                        help="bandwidth of a node, such as 10GBps, when all nodes exchange (default:\n"
                        "simulated)")  # fmt: skip
    parser.add_argument("--overlap", type=float, default=0.57, metavar="SHARE",
                        help="largest share of the communication that computation hides (default 0.57)")  # fmt: skip
    parser.add_argument("--steady", metavar="FILE:LINE",
                        help="statement that begins each step (default: found by repetition)")  # fmt: skip
    parser.add_argument("--index-data", action="store_true", help="also count integers that serve as indices only")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of partitioners and random rings (default 0)"
    )
    parser.add_argument("--rules", metavar="FILE", help="Python file that adds rules by pysmpi.estimate_rule")
    parser.add_argument("--probe", action="append", default=[], metavar="FUNCTION",
                        help="function without a rule, such as numpy.polyder, whose dependences are found by NaN in\n"
                        "one element of an argument at a time (repeatable)")  # fmt: skip
    parser.add_argument("--memory", default="4GB", metavar="BYTES",
                        help="largest size of the recorded flow of values (default 4GB)")  # fmt: skip
    parser.add_argument("--compare", action="store_true",
                        help="run the program untraced, too, and end with status 1 if results differ")  # fmt: skip
    parser.add_argument("-o", dest="output", metavar="DIR",
                        help="new directory for tables, matrices, cuts, skeletons and pictures")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(words)
    from pysmpi.estimates import EstimateError

    try:
        return _run(arguments)
    except EstimateError as error:
        print(error, file=sys.stderr)
        return _FAILED


def _run(arguments: argparse.Namespace) -> int:
    from pysmpi.estimates import estimate

    if arguments.output is not None:
        refuse_used(arguments.output, "-o")
    found = estimate(
        arguments.program,
        arguments.arguments,
        sizes=_sizes(arguments.size),
        at={name: values[-1] for name, values in _sizes(arguments.at, "--at").items()} or None,
        platform=arguments.platform,
        nodes=_nodes(arguments.nodes),
        cut=arguments.cut,
        blocks=_blocks(arguments.blocks),
        speed=_positive("--speed", arguments.speed, "speed"),
        bandwidth=_positive("--bandwidth", arguments.bandwidth, "bandwidth"),
        overlap=arguments.overlap,
        steady=arguments.steady,
        index_data=arguments.index_data,
        memory=size_of("--memory", arguments.memory),
        seed=arguments.seed,
        rules=arguments.rules,
        probe=arguments.probe,
        compare=arguments.compare,
        echo=sys.stderr,
    )
    if arguments.output is not None:
        found.save(arguments.output)
    if arguments.json:
        print(json.dumps(found.to_json()))
    else:
        print("\n".join(text_of(found)))
    for each in found.differences:
        print(f"pysmpi estimate: {each}", file=sys.stderr)
    return _FAILED if found.differences else 0


def text_of(found: "Estimate") -> list[str]:
    """Return the lines that the command prints for an estimate."""
    lines = [_stop_line(stop) for stop in found.stops()]
    per = "step" if all(row.usual.step is not None for row in found.rows) else "run"
    head = [
        "nodes",
        "size",
        f"bytes a {per}",
        "least",
        "usual",
        "blocks",
        "cut",
        "messages",
        "neighbours",
        "bytes/flop",
        "imbalance",
    ]
    head += ["simulated", "formula", "link bound", "depth limit"]
    rows = [head]
    extrapolated = [row for row in found.rows if row.error is not None]
    for row in extrapolated or found.rows:
        cut, efficiency = row.best, row.efficiency
        words = cut.words if per == "step" else cut.run
        rows.append([
            f"{row.nodes:,}",
            ",".join(f"{name}={value}" for name, value in row.size.items()) or "-",
            f"{8 * words:,.0f}",
            f"{8 * row.least.words:,.0f}",
            f"{8 * row.usual.words:,.0f}",
            _largest(row.usual.blocks),
                cut.by,
            f"{cut.messages:,.0f}",
            f"{cut.neighbours:,.0f}",
            f"{cut.bytes_per_flop:.3g}",
            f"{cut.imbalance:.3g}",
            "-" if efficiency["simulated"] is None else "{:.4g} to {:.4g}".format(*efficiency["simulated"]),
            *("-" if efficiency[name] is None else f"{efficiency[name]:.4g}" for name in ("formula", "link", "depth")),
        ])  # fmt: skip
    lines += ["", *aligned(rows, right=[0, 2, 3, 4, *range(7, len(head))]), ""]
    lines += _statement_lines(found)
    if extrapolated:
        error = 100 * max(row.error or 0 for row in extrapolated)
        lines.append(f"words of this size are extrapolated within {error:.2g} %")
    if found.machine is not None:
        lines.append("simulated: without and with full overlap of communication and computation")
    lines.append("messages, neighbours: of the busiest node; bytes count each value once for each node that reads it")
    lines += [f"note: {each}" for each in found.warnings]
    return lines


def _stop_line(stop: dict[str, Any]) -> str:
    percent = f"{100 * stop['efficiency']:.0f} % efficiency"
    if stop["why"] is None:
        reached = f"up to {counted(stop['nodes'], 'node')}, the most estimated" if stop["nodes"] else "not estimated"
        return f"{percent}: {reached}"
    at = f" at {stop['place']}" if stop["place"] else ""
    return f"{percent}: up to {counted(stop['nodes'] or 1, 'node')}; {stop['why']} stops more{at}"


def _statement_lines(found: "Estimate") -> list[str]:
    statements = found.statements()[:_SHOWN]
    if not statements:
        return []
    total = sum(each.words for each in found.statements())
    cells = [
        [each.place, each.what, counted(8 * each.words, "byte"), f"{100 * each.words / total:.0f} %"]
        for each in statements
    ]
    title = f"statements that send most, on {counted(found.rows[-1].nodes, 'node')}:"
    return [title, *aligned(cells, right=[2, 3], indent="  "), ""]


def _largest(blocks: dict[str, list[int]]) -> str:
    longest = max((len(each) for each in blocks.values()), default=0)
    return next(("x".join(map(str, each)) for each in blocks.values() if len(each) == longest), "-")


def _sizes(options: list[str], option: str = "--size") -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for text in options:
        name, equals, values = text.partition("=")
        if not equals or not name.isidentifier():
            raise LaunchError(f"option {option}: {text!r} is not of the form n=128,256")
        try:
            found[name] = [int(each) for each in values.split(",")]
        except ValueError:
            raise LaunchError(f"option {option}: {values!r} is not a list of whole numbers such as 128,256") from None
    return found


def _nodes(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        first, colon, last = text.partition(":")
        if not colon:
            return [int(each) for each in text.split(",")]
        low, high = int(first), int(last)
        if not 1 <= low <= high:
            raise ValueError
    except ValueError:
        raise LaunchError(f"option --nodes: {text!r} is not a list such as 16,64 or a range such as 2:4096") from None
    return [low * 2**power for power in range(int(math.log2(high / low)) + 1)]


def _blocks(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        found = [int(each) for each in text.split("x")]
        if min(found) < 1:
            raise ValueError
    except ValueError:
        raise LaunchError(f"option --blocks: {text!r} is not of the form 4x4 or 16") from None
    return found


def _positive(option: str, text: str | None, kind: str) -> float | None:
    if text is None:
        return None
    try:
        found = parse_quantity(text, kind)
    except PlatformError as error:
        raise LaunchError(f"option {option}: {error}") from None
    if not 0 < found < math.inf:
        raise LaunchError(f"option {option}: {text!r} is not a positive, finite number")
    return found
