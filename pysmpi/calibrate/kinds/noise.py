"""Measurement of the noise of the operating system on this host."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from pysmpi.calibrate.kind import Kind
from pysmpi.calibrate.limits import Limit, outside
from pysmpi.calibrate.options import quantity
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.table import Table
from pysmpi.util.commands.parser import Parser

__all__ = ["KIND"]

_RATE = Limit(0.0, 1e6, "detours/s", "a detour takes a microsecond or more")
_LENGTH = Limit(0.0, 60.0, "s", "the operating system does not take a core for a minute")


class _Noise(Kind):
    name = "noise"
    description = (
        "Measure how often, and for how long, each core of this host does something else than the program on it: all\n"
        "cores repeat the same short work, and each repetition that takes longer than usual holds a detour."
    )
    output = "model for --cfg=smpi/noise:FILE, NAME.json"
    source = ("CSV", "use this table of detours instead of measuring")

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--seconds", type=quantity("time"), default=60, metavar="N",
                            help="measure each core for N seconds, or a time such as 2m (60)")  # fmt: skip
        parser.add_argument("--quick", action="store_true", help="measure for five seconds")

    def plan(self, arguments: argparse.Namespace, world: Any) -> Plan:
        from pysmpi.calibrate.noise import Extent, measure

        extent = Extent()
        seconds = 5 if arguments.quick else arguments.seconds
        extent = Extent(round(seconds / extent.seconds), extent.seconds, extent.numbers())
        return Plan(self.name, self.columns(), str(extent), lambda campaign: measure(campaign, extent))

    def fit(self, table: Table, arguments: argparse.Namespace) -> Any:
        return self.folder.noise_fit(table)

    def summary(self, fit: Any, report: str) -> str:
        return f"{fit.rate:.3g} detours a second on a core, {100 * fit.lost:.2g} % of the computation"

    def problems(self, document: Mapping[str, Any]) -> Iterator[str]:
        rate, lengths = float(document["rate"]), [float(each) for each in document["lengths"]]
        yield from outside("rate", rate, _RATE)
        for length in (min(lengths), max(lengths)):
            yield from outside("length of a detour", length, _LENGTH)
        lost = rate * sum(lengths) / len(lengths)
        if lost > 1:
            yield f"detours take {lost:.3g} s for each second of computation (at most 1: other programs were running)"


KIND = _Noise()
