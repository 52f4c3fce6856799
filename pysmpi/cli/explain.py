"""Command ``pysmpi explain``: show where the time of one message goes."""

import argparse
import json
from typing import TYPE_CHECKING

from pysmpi.cli.default_machine import default_machine
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser, add_words, size_of, words_of
from pysmpi.util.quantities import counted, human_bandwidth, human_seconds

if TYPE_CHECKING:
    from pysmpi.simulation.experiments.explanation import Explanation

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi explain`` and return the exit status."""
    parser = Parser(
        prog="pysmpi explain",
        description="Print where the time of one message on an idle network goes, term by term. The total is the\n"
        "simulated time from the call that sends it to the end of its receive.",
    )
    parser.add_argument("--platform", metavar="FILE", help="the machine, as for pysmpirun (default: laptop)")
    parser.add_argument("--src", required=True, metavar="HOST", help="host of the sender")
    parser.add_argument(
        "--dst", required=True, metavar="HOST", help="host of the receiver, whose receive is posted earlier"
    )
    parser.add_argument(
        "--size",
        required=True,
        nargs="+",
        metavar="SIZE",
        help="bytes, or with a unit such as 64KiB or 1MB; several sizes give a table",
    )
    parser.add_argument(
        "--cfg", action="append", default=[], metavar="KEY:VALUE", help="set a setting by SimGrid's name (repeatable)"
    )
    add_words(parser)
    parser.add_argument("--nonblocking", action="store_true", help="send with MPI_Isend, not MPI_Send")
    parser.add_argument("--synchronous", action="store_true", help="send with MPI_Ssend (or MPI_Issend)")
    parser.add_argument("--json", action="store_true", help="print unrounded numbers as JSON, in seconds and bytes")
    arguments = parser.parse_args(words)
    if arguments.platform is None:
        arguments.platform = default_machine("pysmpi explain")
    sizes = [size_of("--size", text) for text in arguments.size]
    messages = _explain(arguments, sizes)
    if arguments.json:
        print(json.dumps([message.as_dict() for message in messages], indent=2))
    elif len(messages) == 1:
        print(_terms(messages[0]))
    else:
        print(_table(messages))
    return 0


def _explain(arguments: argparse.Namespace, sizes: list[int]) -> "list[Explanation]":
    from pysmpi.platform import read
    from pysmpi.simulation.experiments.explanation import explain

    platform = read(arguments.platform)
    return [
        explain(
            platform,
            arguments.src,
            arguments.dst,
            size,
            cfg=arguments.cfg,
            **words_of(arguments),
            nonblocking=arguments.nonblocking,
            synchronous=arguments.synchronous,
        )
        for size in sizes
    ]


def _protocol(message: "Explanation") -> str:
    if message.detached and message.eager:
        return "eager"
    if message.detached:
        return "detached"
    return "eager, not detached" if message.eager else "rendezvous"


_PROTOCOLS = {
    "eager": "leaves at once; the sender continues",
    "detached": "leaves when its receive is posted; the sender continues",
    "eager, not detached": "leaves at once; the sender waits until it has arrived",
    "rendezvous": "leaves when its receive is posted; the sender waits until it has arrived",
}


def _terms(message: "Explanation") -> str:
    from pysmpi.simulation.settings.network_models import MODELS

    model = MODELS[message.model]
    overheads = {"MPI_Send": "smpi/os", "MPI_Ssend": "smpi/os"}.get(message.call, "smpi/ois")
    protocol = _protocol(message)
    rows = [("protocol", "", f"{protocol}: {_PROTOCOLS[protocol]}")]
    rows.append((f"{message.call} overhead", human_seconds(message.send_overhead),
                 model.overheads or overheads))  # fmt: skip
    if model.has_flows:
        rows += _flow_rows(message, model.factors)
    rows += [(label, human_seconds(getattr(message, term)), note) for label, term, note in model.terms]
    if not model.has_flows and message.links and message.held_by:
        rows.append(("", "", f"held by {message.held_by}"))
    rows.append(("receive overhead", human_seconds(message.receive_overhead),
                 model.overheads or "smpi/or, for detached messages"))  # fmt: skip
    rows.append(("total", human_seconds(message.total), f"{message.size / message.total / 1e6:.6g} MB/s"
                 if message.total > 0 else ""))  # fmt: skip
    title = (
        f"{counted(message.size, 'byte')} from {message.source} to {message.destination}, network/model:{message.model}"
    )
    return "\n".join([title, *aligned(rows, right=[1], indent="  "), *_route_lines(message)])


def _flow_rows(message: "Explanation", factors: tuple[str, str]) -> list[tuple[str, str, str]]:
    rows = [
        (
            "latency",
            human_seconds(message.latency),
            f"{human_seconds(message.route_latency)} of {counted(len(message.links), 'link')} × "
            f"{message.latency_factor:g} ({factors[0]})",
        )
    ]
    if message.end_latency > 0:
        rows.append(("", "", f"{human_seconds(message.end_latency)} of it in adapters and library (fabric/…latency)"))
    if message.rate > 0:
        share = message.rate / message.bandwidth_factor
        rows.append(
            (
                "bytes",
                human_seconds(message.transfer),
                f"{message.wire_size:,.0f} with the envelope, at {human_bandwidth(message.rate)}: "
                f"{human_bandwidth(share)} × {message.bandwidth_factor:g} ({factors[1]})",
            )
        )
        rows.append(("", "", f"held by {message.held_by}"))
    if message.window is not None:
        rows.append(("", "", f"TCP window: {human_bandwidth(message.window)} (network/TCP-gamma / 2 latencies)"))
    return rows


def _route_lines(message: "Explanation") -> list[str]:
    if not message.links:
        return []
    rows = [
        (link.name, human_seconds(link.latency), human_bandwidth(link.bandwidth), link.policy) for link in message.links
    ]
    return ["route", *aligned(rows, right=[1, 2], indent="  ")]


def _table(messages: "list[Explanation]") -> str:
    rows = [("bytes", "protocol", "overheads", "latency", "transfer", "total", "MB/s", "held by")]
    for message in messages:
        rows.append(
            (
                f"{message.size:,}",
                _protocol(message),
                human_seconds(message.send_overhead + message.receive_overhead),
                human_seconds(message.handshake + message.latency),
                human_seconds(message.transfer),
                human_seconds(message.total),
                f"{message.size / message.total / 1e6:.6g}" if message.total > 0 else "",
                message.held_by,
            )
        )
    title = f"from {messages[0].source} to {messages[0].destination}, network/model:{messages[0].model}"
    return "\n".join([title, *aligned(rows, right=range(7))])
