"""Measurement of BLAS and LAPACK routines, fitted by polynomials in their sizes."""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pysmpi.calibrate.kind import Kind
from pysmpi.calibrate.limits import SPEED, outside
from pysmpi.calibrate.options import number_above, quantity
from pysmpi.calibrate.outputs import Outputs
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.progress import notify
from pysmpi.calibrate.table import Table
from pysmpi.errors import LaunchError
from pysmpi.util.commands.parser import Parser, size_of
from pysmpi.util.library_threads import set_threads

if TYPE_CHECKING:
    from pysmpi.calibrate.campaign import Campaign

__all__ = ["KIND"]

ROUTINES = ("dgemm", "dtrsm", "dsyrk", "dger", "dgemv", "dtrsv", "dpotrf", "dgetrf", "daxpy", "dscal", "dswap", "dcopy",
            "idamax", "dlaswp")  # fmt: skip


class _Blas(Kind):
    name = "blas"
    description = (
        "Measure the routines of BLAS and LAPACK, as SciPy has them, at random sizes and in random order, and fit\n"
        "polynomials in the sizes, with noise. An interrupted run goes on where it was."
    )
    output = "the model, NAME.json, for pysmpirun --blas"
    source = ("CSV", "fit to this table instead of measuring")
    largest_error = 2.0

    def add_options(self, parser: Parser) -> None:
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
            "--smallest",
            type=number_above(0, int),
            default=8,
            metavar="N",
            help="smallest size of matrices (default 8)",
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
        parser.add_argument(
            "--seed", type=int, default=0, metavar="N", help="seed of sizes and their order (default 0)"
        )
        parser.add_argument("--speed", type=quantity("speed"), metavar="SPEED",
                            help="speed of a core, such as 36Gf (default: that of large dgemm)")  # fmt: skip

    def plan(self, arguments: argparse.Namespace, world: Any) -> Plan:
        set_threads(arguments.threads)
        from pysmpi.calibrate.blas import Extent, measure
        from pysmpi.calibrate.blas.library import library_text
        from pysmpi.calibrate.blas.measure import plan

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

        def measure_points(campaign: "Campaign") -> None:
            there = len(campaign.rows)
            notify(f"{library}: {len(points)} calls" + (f", of which {there} are in {campaign.path}" if there else ""))
            measure(campaign, points, extent.clock)

        options = f"{extent}, {', '.join(arguments.routines)}"
        return Plan(self.name, self.columns(), options, measure_points, {"library": library})

    def measure_elsewhere(self, arguments: argparse.Namespace, words: Sequence[str], outputs: Outputs) -> bool:
        """Measure on all cores that this process may use, and write the table of their models."""
        if not arguments.per_core:
            return False
        import json

        from pysmpi.calibrate.blas.per_core import file_of, measure_cores, table_document

        if arguments.measured is not None or arguments.threads > 1:
            other = "--from" if arguments.measured is not None else "--threads"
            raise LaunchError(
                f"option --per-core: not with {other}; each core is measured by a process with one thread"
            )
        cores = sorted(os.sched_getaffinity(0))
        notify(f"measuring on {len(cores)} cores at once, into {file_of(outputs.measurements, cores[0])} and so on")
        measure_cores([word for word in words if word != "--per-core"], cores, outputs.main)
        models = {core: json.loads(file_of(outputs.main, core).read_text(encoding="utf-8")) for core in cores}
        outputs.write_model(table_document(models))
        speeds = [model["speed"] for model in models.values()]
        slowest, fastest = min(speeds) / 1e9, max(speeds) / 1e9
        notify(f"{outputs.main}: models of {len(cores)} cores of {slowest:.3g} to {fastest:.3g} Gflop/s")
        return True

    def fit(self, table: Table, arguments: argparse.Namespace) -> Any:
        return self.folder.fit_table(table)

    def document(self, fit: Any, table: Table, arguments: argparse.Namespace) -> dict[str, Any]:
        document: dict[str, Any] = self.folder.model_document(fit, table.provenance, arguments.speed)
        return document

    def report(self, fit: Any, table: Table, document: Mapping[str, Any]) -> str:
        return str(self.folder.report_text(fit, table.provenance, document["speed"]))

    def summary(self, fit: Any, report: str) -> str:
        return f"{len(fit)} routines; {report} says how good the fits are"

    def problems(self, document: Mapping[str, Any]) -> Iterator[str]:
        yield from outside("speed", document["speed"], SPEED)

    def errors(self, document: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
        for name, routine in document["routines"].items():
            fit = routine["fit"]
            yield name, float(fit["largest_relative_error"]), float(fit.get("median_relative_error", 0))


KIND = _Blas()
