"""Measurement of what this host does by itself: speed, memory bandwidth, and the time of a call of MPI."""

import argparse
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pysmpi.calibrate.kind import Kind
from pysmpi.calibrate.limits import MEMORY, SPEED, outside
from pysmpi.calibrate.options import number_above
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.progress import notify
from pysmpi.calibrate.table import Table
from pysmpi.util.commands.parser import Parser
from pysmpi.util.library_threads import set_threads

__all__ = ["KIND"]


class _Host(Kind):
    name = "host"
    description = (
        "Measure what this host does by itself: flop/s, the bandwidth of memory and caches with one to all cores at\n"
        "work, and what Python takes in a call of MPI. An interrupted run goes on where it was."
    )
    output = "speed and settings, NAME.json"
    largest_error = 3.0  # spread of the measurements of one quantity, relative to their median

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--quick", action="store_true", help="two rounds of four distances")
        parser.add_argument(
            "--rounds", type=number_above(0, int), metavar="N", help="measurements of each figure (default 5)"
        )
        parser.add_argument("--busy", type=number_above(0, int), metavar="CORES",
                            help="number of busy cores that the settings are for (default: all)")  # fmt: skip

    def plan(self, arguments: argparse.Namespace, world: Any) -> Plan:
        set_threads(1)
        from pysmpi.calibrate.host import Extent, measure, plan

        extent = Extent()
        if arguments.quick:
            extent = Extent(rounds=2, distances=extent.distances[::2])
        extent = Extent(arguments.rounds or extent.rounds, extent.distances, extent.numbers_of_cores())
        return Plan(self.name, self.columns(), str(extent), lambda campaign: measure(campaign, plan(extent), notify))

    def fit(self, table: Table, arguments: argparse.Namespace) -> Any:
        return self.folder.host_model(table)

    def document(self, fit: Any, table: Table, arguments: argparse.Namespace) -> dict[str, Any]:
        document: dict[str, Any] = self.folder.model_document(fit, table.provenance, arguments.busy)
        return document

    def summary(self, fit: Any, report: str) -> str:
        return f"one core does {fit.speed / 1e9:.1f} Gflop/s; {report} has all figures"

    def problems(self, document: Mapping[str, Any]) -> Iterator[str]:
        yield from outside("speed", document["speed"], SPEED)
        for name, text in document["settings"].items():
            for number in re.findall(r"(?:^|:)([^:;]+)(?:;|$)", str(text)):
                yield from outside(f"setting {name}", number, MEMORY)

    def errors(self, document: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
        for figure, spread in document.get("spread", {}).items():
            yield f"spread of {figure}", float(spread), 0.0


KIND = _Host()
