"""Command ``pysmpi-calibrate power``: measure the power of this host."""

from pysmpi.calibrate.commands.common import check_load, notify, number_above, part_parser, write_all

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi-calibrate power`` and return the exit status."""
    parser = part_parser(
        "power",
        "Measure what this host draws with no, one, half and all of its cores at work, by the processor's energy\n"
        "counters (RAPL), or take a wattmeter's table with the columns cores and watts.",
        "wattage_per_state, NAME.json",
    )
    parser.add_argument("--from", dest="measured", metavar="CSV",
                        help="use this table of busy cores and watts instead of measuring")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="three measurements of half a second per load")
    parser.add_argument("--cores", type=number_above(0, int), metavar="N",
                        help="cores of the host (default: largest number that was busy)")  # fmt: skip
    arguments = parser.parse_args(words)
    from pysmpi.calibrate.campaign import Campaign
    from pysmpi.calibrate.outputs import Outputs
    from pysmpi.calibrate.power import (
        COLUMNS,
        Counters,
        Extent,
        draw,
        measure,
        model_document,
        power_model,
        report_text,
    )
    from pysmpi.calibrate.provenance import provenance
    from pysmpi.calibrate.table import read_table

    outputs = Outputs.of(arguments.output, ".json")
    if arguments.measured is None:
        counters = Counters.find()
        check_load(arguments.force)
        extent = Extent(repetitions=3, seconds=0.5) if arguments.quick else Extent()
        extent = Extent(extent.repetitions, extent.seconds, extent.numbers_of_cores())
        with Campaign(outputs.measurements, COLUMNS, provenance("power", str(extent))) as campaign:
            measure(campaign, extent, counters)
            table = campaign.table()
    else:
        table = read_table(arguments.measured, COLUMNS)
    model = power_model(table, arguments.cores)
    document = model_document(model, table.provenance)
    write_all(outputs, document, report_text(model, document), lambda path: draw(model, path),
              force=arguments.force)  # fmt: skip
    notify(f"{outputs.main}: {model.wattage_per_state} W idle, with almost no load and with all cores at work")
    return 0
