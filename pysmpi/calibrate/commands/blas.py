"""Command ``pysmpi-calibrate blas``: fit a model of BLAS and LAPACK to measurements."""

import argparse
import os
from typing import TYPE_CHECKING

from pysmpi.calibrate.commands.common import check_load, notify, number_above, part_parser, quantity, write_all
from pysmpi.util.commands.parser import Parser, size_of
from pysmpi.util.library_threads import THREAD_VARIABLES

if TYPE_CHECKING:
    from pysmpi.calibrate.outputs import Outputs
    from pysmpi.calibrate.table import Table

__all__ = ["main"]

ROUTINES = ("dgemm", "dtrsm", "dsyrk", "dger", "dgemv", "dtrsv", "dpotrf", "dgetrf", "daxpy", "dscal", "dswap", "dcopy",
            "idamax", "dlaswp")  # fmt: skip


def main(words: list[str]) -> int:
    """Run ``pysmpi-calibrate blas`` and return the exit status."""
    arguments = _parser().parse_args(words)
    from pysmpi.calibrate.outputs import Outputs

    outputs = Outputs.of(arguments.output, ".json")
    if arguments.per_core:
        _measure_per_core(arguments, words, outputs)
        return 0
    if arguments.measured is None:
        for name in THREAD_VARIABLES:  # before NumPy and SciPy load their libraries
            os.environ[name] = str(arguments.threads)
        table = _measured(arguments, outputs)
    else:
        from pysmpi.calibrate.blas import COLUMNS
        from pysmpi.calibrate.table import read_table

        table = read_table(arguments.measured, COLUMNS)
    _fit(table, arguments, outputs)
    return 0


def _parser() -> Parser:
    parser = part_parser(
        "blas",
        "Measure the routines of BLAS and LAPACK, as SciPy has them, at random sizes and in random order, and fit\n"
        "polynomials in the sizes, with noise. An interrupted run goes on where it was.",
        "the model, NAME.json, for pysmpirun --blas",
    )
    parser.add_argument("--from", dest="measured", metavar="CSV", help="fit to this table instead of measuring")
    parser.add_argument("--routines", nargs="+", default=list(ROUTINES), metavar="NAME",
                        help=f"also with s for d; by default {' '.join(ROUTINES)}")  # fmt: skip
    parser.add_argument(
        "--quick", action="store_true", help="30 sizes up to 512, three times each; takes at most a minute"
    )
    parser.add_argument(
        "--sizes", type=number_above(0, int), metavar="N", help="combinations of sizes per routine (default 100)"
    )
    parser.add_argument(
        "--repetitions", type=number_above(0, int), metavar="N", help="measurements of each (default 5)"
    )
    parser.add_argument(
        "--smallest", type=number_above(0, int), default=8, metavar="N", help="smallest size of matrices (default 8)"
    )
    parser.add_argument("--largest", type=number_above(0, int), metavar="N",
                        help="largest matrix (default 2048); vectors are up to 256 times as long")  # fmt: skip
    parser.add_argument(
        "--memory", default="1GiB", metavar="SIZE", help="largest total size of operands (default 1GiB)"
    )
    parser.add_argument(
        "--distribution", choices=("log-uniform", "uniform"), default="log-uniform", help="distribution of sizes"
    )
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall",
                        help="clock; processor excludes other programs, for one thread only")  # fmt: skip
    parser.add_argument(
        "--threads", type=number_above(0, int), default=1, metavar="N", help="threads of the library (default 1)"
    )
    parser.add_argument("--per-core", action="store_true",
                        help="measure on all cores at once, and write a table with the model of each")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of sizes and their order (default 0)")
    parser.add_argument("--speed", type=quantity("speed"), metavar="SPEED",
                        help="speed of a core, such as 36Gf (default: that of large dgemm)")  # fmt: skip
    return parser


def _measured(arguments: argparse.Namespace, outputs: "Outputs") -> "Table":
    from pysmpi.calibrate.blas import COLUMNS, Extent, measure
    from pysmpi.calibrate.blas.library import library_text
    from pysmpi.calibrate.blas.measure import plan
    from pysmpi.calibrate.campaign import Campaign
    from pysmpi.calibrate.provenance import provenance
    from pysmpi.errors import LaunchError

    if arguments.clock == "processor" and arguments.threads > 1:
        raise LaunchError(
            "option --clock: 'processor' measures one thread only; use --clock wall if --threads is above 1"
        )
    sizes, repetitions, largest = (30, 3, 512) if arguments.quick else (100, 5, 2048)
    extent = Extent(
        sizes=arguments.sizes or sizes,
        repetitions=arguments.repetitions or repetitions,
        smallest=arguments.smallest,
        largest=arguments.largest or largest,
        memory=size_of("--memory", arguments.memory),
        distribution=arguments.distribution,
        clock=arguments.clock,
        seed=arguments.seed,
    )
    points = plan(arguments.routines, extent)
    library = library_text(arguments.threads)
    origin = provenance("blas", f"{extent}, {', '.join(arguments.routines)}", library=library)
    check_load(arguments.force)
    with Campaign(outputs.measurements, COLUMNS, origin) as campaign:
        there = len(campaign.rows)
        notify(f"{library}: {len(points)} calls" + (f", of which {there} are in {campaign.path}" if there else ""))
        measure(campaign, points, extent.clock)
        return campaign.table()


def _measure_per_core(arguments: argparse.Namespace, words: list[str], outputs: "Outputs") -> None:
    """Measure on all cores that this process may use, and write the table of their models."""
    import json

    from pysmpi.calibrate.blas.per_core import file_of, measure_cores, table_document
    from pysmpi.errors import LaunchError

    if arguments.measured is not None or arguments.threads > 1:
        other = "--from" if arguments.measured is not None else "--threads"
        raise LaunchError(f"option --per-core: not with {other}; each core is measured by a process with one thread")
    cores = sorted(os.sched_getaffinity(0))
    notify(f"measuring on {len(cores)} cores at once, into {file_of(outputs.measurements, cores[0])} and so on")
    measure_cores([word for word in words if word != "--per-core"], cores, outputs.main)
    models = {core: json.loads(file_of(outputs.main, core).read_text(encoding="utf-8")) for core in cores}
    outputs.write_model(table_document(models))
    speeds = [model["speed"] for model in models.values()]
    slowest, fastest = min(speeds) / 1e9, max(speeds) / 1e9
    notify(f"{outputs.main}: models of {len(cores)} cores of {slowest:.3g} to {fastest:.3g} Gflop/s")


def _fit(table: "Table", arguments: argparse.Namespace, outputs: "Outputs") -> None:
    from pysmpi.calibrate.blas import draw, fit_table, model_document, report_text

    fits = fit_table(table)
    document = model_document(fits, table.provenance, arguments.speed)
    write_all(outputs, document, report_text(fits, table.provenance, document["speed"]), lambda path: draw(fits, path),
              force=arguments.force)  # fmt: skip
    notify(f"{outputs.main}: {len(fits)} routines; {outputs.report} says how good the fits are")
