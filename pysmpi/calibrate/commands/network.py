"""Command ``pysmpi-calibrate network``: measure messages between two ranks of a real MPI."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysmpi.calibrate.commands.common import (
    notify,
    number_above,
    part_parser,
    quantity,
    refusal_of_ranks,
    run_on_ranks,
    write_all,
)
from pysmpi.util.commands.parser import Parser, size_of

if TYPE_CHECKING:
    from pysmpi.calibrate.outputs import Outputs
    from pysmpi.calibrate.table import Table

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi-calibrate network`` on each rank and return the exit status."""
    return run_on_ranks(_run, words)


def _run(words: list[str], world: Any) -> int:
    arguments = _parser().parse_args(words)
    from pysmpi.calibrate.network import COLUMNS, Extent, campaign_of, read_public_campaign
    from pysmpi.calibrate.outputs import Outputs
    from pysmpi.calibrate.table import read_table

    outputs = Outputs.of(arguments.output, ".json")
    if world is None:
        if Path(arguments.measured).is_dir():
            _fit(*read_public_campaign(Path(arguments.measured)), arguments, outputs)
            return 0
        table: Table | None = read_table(arguments.measured, COLUMNS)
    else:
        sizes, repetitions, largest = (60, 5, "1MiB") if arguments.quick else (120, 10, "4MiB")
        extent = Extent(
            sizes=arguments.sizes or sizes,
            repetitions=arguments.repetitions or repetitions,
            largest=size_of("--largest", arguments.largest or largest),
            seed=arguments.seed,
            clock=arguments.clock,
        )
        refusal = refusal_of_ranks(world, arguments.force)
        table = campaign_of(world, outputs.measurements, extent, notify, refusal)
    if table is not None:
        _fit(table, None, arguments, outputs)
    return 0


def _parser() -> Parser:
    parser = part_parser(
        "network",
        "Measure messages between two ranks, mpiexec -n 2 pysmpi-calibrate network …, on one host or on two, and fit\n"
        "SMPI's overheads, factors and thresholds. An interrupted run goes on where it was.",
        "settings and links, NAME.json",
    )
    parser.add_argument("--from", dest="measured", metavar="PATH",
                        help="fit to this table, or folder of platform-calibration, and do not measure")  # fmt: skip
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
                        help="clock that measures; processor excludes the time of other programs, if the MPI library "
                        "polls while it waits")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of sizes and their order (default 0)")
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
    return parser


def _fit(table: "Table", waits_from: int | None, arguments: argparse.Namespace, outputs: "Outputs") -> None:
    from pysmpi.calibrate.network import draw, fit_table, model_document, report_text

    breaks = None
    if arguments.breakpoints is not None:
        breaks = [size_of("--breakpoints", text) for text in arguments.breakpoints]
    fits = fit_table(table, breaks=breaks, latency=arguments.latency, bandwidth=arguments.bandwidth,
                     statistic=arguments.statistic, waits_from=waits_from)  # fmt: skip
    document = model_document(fits, table.provenance)
    write_all(outputs, document, report_text(fits, document), lambda path: draw(fits, path),
              force=arguments.force)  # fmt: skip
    notify(f"{outputs.main}: {' and '.join(each.place for each in fits)}; {outputs.report} says how good the fits are")
