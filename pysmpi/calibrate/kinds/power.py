"""Measurement of the power of this host."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from pysmpi.calibrate.kind import Kind
from pysmpi.calibrate.limits import Limit, outside
from pysmpi.calibrate.options import number_above
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.table import Table
from pysmpi.util.commands.parser import Parser

__all__ = ["KIND"]

_WATTS = Limit(0.0, 1e6, "W", "no host draws a megawatt")


class _Power(Kind):
    name = "power"
    description = (
        "Measure what this host draws with no, one, half and all of its cores at work, by the processor's energy\n"
        "counters (RAPL), or take a wattmeter's table with the columns cores and watts."
    )
    output = "wattage_per_state, NAME.json"
    source = ("CSV", "use this table of busy cores and watts instead of measuring")
    largest_error = 0.5

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--quick", action="store_true", help="three measurements of half a second per load")
        parser.add_argument("--cores", type=number_above(0, int), metavar="N",
                            help="cores of the host (default: largest number that was busy)")  # fmt: skip

    def plan(self, arguments: argparse.Namespace, world: Any) -> Plan:
        from pysmpi.calibrate.power import Counters, Extent, measure

        counters = Counters.find()
        extent = Extent(repetitions=3, seconds=0.5) if arguments.quick else Extent()
        extent = Extent(extent.repetitions, extent.seconds, extent.numbers_of_cores())
        return Plan(self.name, self.columns(), str(extent), lambda campaign: measure(campaign, extent, counters))

    def fit(self, table: Table, arguments: argparse.Namespace) -> Any:
        return self.folder.power_model(table, arguments.cores)

    def summary(self, fit: Any, report: str) -> str:
        return f"{fit.wattage_per_state} W idle, with almost no load and with all cores at work"

    def problems(self, document: Mapping[str, Any]) -> Iterator[str]:
        watts = [float(each) for each in str(document["wattage_per_state"]).split(":")]
        for number in watts:
            yield from outside("wattage_per_state", number, _WATTS)
        if watts[-1] < watts[0]:
            yield f"wattage_per_state: {watts[0]:g} W idle, but {watts[-1]:g} W with all cores busy, which is less"

    def errors(self, document: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
        yield "wattage_per_state", float(document.get("fit", {}).get("largest_relative_error", 0)), 0.0


KIND = _Power()
