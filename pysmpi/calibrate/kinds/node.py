"""Measurement of the inside of nodes, by messages between ranks of a real MPI."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from pysmpi.calibrate.kind import Kind
from pysmpi.calibrate.limits import BANDWIDTH, LATENCY, MEMORY, Limit, outside
from pysmpi.calibrate.options import number_above
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.progress import notify
from pysmpi.calibrate.table import Table
from pysmpi.util.commands.parser import Parser, size_of

__all__ = ["KIND"]

_GAP = Limit(1.0, 1e10, "messages/s", "no network card passes 10 billion messages a second")


class _Node(Kind):
    name = "node"
    description = (
        "Measure the inside of nodes, mpiexec -n N pysmpi-calibrate node …, with a rank on each core of one host, or\n"
        "of two: messages on a socket, between sockets and between hosts, what several messages move together, and\n"
        "how ranks that wait slow down others. An interrupted run goes on where it was."
    )
    output = "properties of hosts, NAME.json"
    source = ("CSV", "fit to this table, and do not measure")
    on_ranks = True

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--quick", action="store_true", help="messages up to 256 KiB, twice each")
        parser.add_argument("--largest", metavar="SIZE", help="largest message (4MiB)")
        parser.add_argument(
            "--rounds", type=number_above(0, int), metavar="N", help="measurements of each quantity (5)"
        )
        parser.add_argument("--sockets", type=number_above(0, int), metavar="N",
                            help="sockets of a host, which its ranks share in order (default: as bound)")  # fmt: skip

    def plan(self, arguments: argparse.Namespace, world: Any) -> Plan:
        from pysmpi.calibrate.node.measure import Extent, plan_of

        largest, rounds = ("256KiB", 2) if arguments.quick else ("4MiB", 5)
        extent = Extent(size_of("--largest", arguments.largest or largest), arguments.rounds or rounds)
        return plan_of(world, extent, notify, arguments.sockets)

    def fit(self, table: Table, arguments: argparse.Namespace) -> Any:
        return self.folder.node_model(table)

    def summary(self, fit: Any, report: str) -> str:
        return f"messages on {', '.join(fit.one_way)}; {report} shows them"

    def problems(self, document: Mapping[str, Any]) -> Iterator[str]:
        for level, curve in document["one_way"].items():
            for size, seconds in curve:
                yield from outside(f"time of {size} bytes at level {level!r}", seconds, LATENCY)
                if size >= 65536:
                    yield from outside(f"bandwidth of {size} bytes at level {level!r}", size / seconds, BANDWIDTH)
        for name in ("memory", "card"):
            for count, rate in document[name]:
                yield from outside(f"{name} with {count} messages", rate, MEMORY)
        for count, rate in document["rate"]:
            yield from outside(f"rate of {count} ranks", rate, _GAP)


KIND = _Node()
