"""Measurement of messages between two ranks of a real MPI."""

import argparse
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pysmpi.calibrate.kind import Kind
from pysmpi.calibrate.limits import BANDWIDTH, LATENCY, Limit, outside
from pysmpi.calibrate.options import number_above, quantity
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.progress import notify
from pysmpi.calibrate.table import Table
from pysmpi.util.commands.parser import Parser, size_of

__all__ = ["KIND"]

_CALL = Limit(0.0, 1.0, "s", "a call that moves no data does not take a second")
_FACTOR = Limit(1e-6, 1e6, "", "messages of all sizes cross the same link")
_LIMITS = {
    "smpi/bw-factor": _FACTOR,
    "smpi/lat-factor": _FACTOR._replace(least=0.0),
    **dict.fromkeys(("smpi/os", "smpi/ois", "smpi/or", "smpi/wtime", "smpi/iprobe", "smpi/test"), _CALL),
}


class _Network(Kind):
    name = "network"
    description = (
        "Measure messages between two ranks, mpiexec -n 2 pysmpi-calibrate network …, on one host or on two, and fit\n"
        "SMPI's overheads, factors and thresholds. An interrupted run goes on where it was."
    )
    output = "settings and links, NAME.json"
    source = ("PATH", "fit to this table, or folder of platform-calibration, and do not measure")
    on_ranks = True
    largest_error = 1.0

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--quick", action="store_true", help="60 sizes up to 1 MiB, five times each; takes seconds")
        parser.add_argument(
            "--sizes",
            type=number_above(0, int),
            metavar="N",
            help="number of message sizes, drawn log-uniformly (default 120)",
        )
        parser.add_argument(
            "--repetitions", type=number_above(0, int), metavar="N", help="measurements of each size (default 10)"
        )
        parser.add_argument("--largest", metavar="SIZE", help="largest message (default 4MiB)")
        parser.add_argument("--clock", choices=("wall", "processor"), default="wall",
                            help="clock that measures; processor excludes the time of other programs, if the MPI "
                            "library polls while it waits")  # fmt: skip
        parser.add_argument(
            "--seed", type=int, default=0, metavar="N", help="seed of sizes and their order (default 0)"
        )
        parser.add_argument("--breakpoints", nargs="*", metavar="SIZE",
                            help="sizes at which segments begin (default: fitted)")  # fmt: skip
        parser.add_argument("--statistic", choices=("median", "least"), default="median",
                            help="statistic of the times of one size; least if other programs disturb")  # fmt: skip
        parser.add_argument("--latency", type=quantity("time"), metavar="TIME",
                            help="latency of the route on the platform, such as 2us (default: the first lat-factor is "
                            "1)")  # fmt: skip
        parser.add_argument("--bandwidth", type=quantity("bandwidth"), metavar="BANDWIDTH",
                            help="bandwidth of that route, such as 10GBps (default: the largest bw-factor is "
                            "1)")  # fmt: skip
        parser.set_defaults(waits_from=None)

    def plan(self, arguments: argparse.Namespace, world: Any) -> Plan:
        from pysmpi.calibrate.network.measure import Extent, plan_of

        sizes, repetitions, largest = (60, 5, "1MiB") if arguments.quick else (120, 10, "4MiB")
        extent = Extent(
            sizes=arguments.sizes or sizes,
            repetitions=arguments.repetitions or repetitions,
            largest=size_of("--largest", arguments.largest or largest),
            seed=arguments.seed,
            clock=arguments.clock,
        )
        return plan_of(world, extent, notify)

    def read(self, arguments: argparse.Namespace) -> Table:
        folder = Path(arguments.measured)
        if not folder.is_dir():
            return super().read(arguments)
        from pysmpi.calibrate.network import read_public_campaign

        table, arguments.waits_from = read_public_campaign(folder)
        return table

    def fit(self, table: Table, arguments: argparse.Namespace) -> Any:
        breaks = None
        if arguments.breakpoints is not None:
            breaks = [size_of("--breakpoints", text) for text in arguments.breakpoints]
        return self.folder.fit_table(table, breaks=breaks, latency=arguments.latency, bandwidth=arguments.bandwidth,
                                     statistic=arguments.statistic, waits_from=arguments.waits_from)  # fmt: skip

    def summary(self, fit: Any, report: str) -> str:
        return f"{' and '.join(each.place for each in fit)}; {report} says how good the fits are"

    def problems(self, document: Mapping[str, Any]) -> Iterator[str]:
        for place, link in document["links"].items():
            yield from outside(f"latency of the link {place!r}", link["latency"], LATENCY)
            yield from outside(f"bandwidth of the link {place!r}", link["bandwidth"], BANDWIDTH)
        for name, text in document["settings"].items():
            steps = [[float(number) for number in step.split(":")] for step in str(text).split(";")]
            if not all(math.isfinite(number) and number >= 0 for step in steps for number in step):
                yield f"setting {name} is {text!r}: numbers must be finite and not negative"
            elif name in _LIMITS:
                limit = _LIMITS[name]
                values = [step[1] if len(step) > 1 else step[0] for step in steps]
                wrong = [value for value in values if value and not limit.least <= value <= limit.most]
                yield from outside(f"setting {name}", wrong[0] if wrong else limit.most, limit)

    def errors(self, document: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
        for place, fit in document.get("fit", {}).items():
            yield place, float(fit.get("largest_relative_error", 0)), float(fit.get("median_relative_error", 0))


KIND = _Network()
