"""Command ``pysmpi-calibrate host``: measure speed and memory bandwidth of this host."""

import os

from pysmpi.calibrate.commands.common import check_load, notify, number_above, part_parser, write_all
from pysmpi.util.library_threads import THREAD_VARIABLES

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi-calibrate host`` and return the exit status."""
    parser = part_parser(
        "host",
        "Measure what this host does by itself: flop/s, the bandwidth of memory and caches with one to all cores at\n"
        "work, and what Python takes in a call of MPI. An interrupted run goes on where it was.",
        "speed and settings, NAME.json",
    )
    parser.add_argument("--from", dest="measured", metavar="CSV", help="use this table instead of measuring")
    parser.add_argument("--quick", action="store_true", help="two rounds of four distances")
    parser.add_argument(
        "--rounds", type=number_above(0, int), metavar="N", help="measurements of each figure (default 5)"
    )
    parser.add_argument("--busy", type=number_above(0, int), metavar="CORES",
                        help="number of busy cores that the settings are for (default: all)")  # fmt: skip
    arguments = parser.parse_args(words)
    from pysmpi.calibrate.outputs import Outputs

    outputs = Outputs.of(arguments.output, ".json")
    for name in THREAD_VARIABLES:
        os.environ[name] = "1"  # before NumPy loads its library
    from pysmpi.calibrate.campaign import Campaign
    from pysmpi.calibrate.host import COLUMNS, Extent, draw, host_model, measure, model_document, plan, report_text
    from pysmpi.calibrate.provenance import provenance
    from pysmpi.calibrate.table import read_table

    if arguments.measured is None:
        check_load(arguments.force)
        extent = Extent()
        if arguments.quick:
            extent = Extent(rounds=2, distances=extent.distances[::2])
        extent = Extent(arguments.rounds or extent.rounds, extent.distances, extent.numbers_of_cores())
        with Campaign(outputs.measurements, COLUMNS, provenance("host", str(extent))) as campaign:
            measure(campaign, plan(extent), notify)
            table = campaign.table()
    else:
        table = read_table(arguments.measured, COLUMNS)
    model = host_model(table)
    document = model_document(model, table.provenance, arguments.busy)
    write_all(outputs, document, report_text(model, document), lambda path: draw(model, path),
              force=arguments.force)  # fmt: skip
    notify(f"{outputs.main}: one core does {model.speed / 1e9:.1f} Gflop/s; {outputs.report} has all figures")
    return 0
