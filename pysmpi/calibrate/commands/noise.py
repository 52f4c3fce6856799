"""Command ``pysmpi-calibrate noise``: measure the noise of the operating system on this host."""

from pysmpi.calibrate.commands.common import check_load, notify, part_parser, quantity, write_all

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi-calibrate noise`` and return the exit status."""
    parser = part_parser(
        "noise",
        "Measure how often, and for how long, each core of this host does something else than the program on it: all\n"
        "cores repeat the same short work, and each repetition that takes longer than usual holds a detour.",
        "model for --cfg=smpi/noise:FILE, NAME.json",
    )
    parser.add_argument("--from", dest="measured", metavar="CSV",
                        help="use this table of detours instead of measuring")  # fmt: skip
    parser.add_argument("--seconds", type=quantity("time"), default=60, metavar="N",
                        help="measure each core for N seconds, or a time such as 2m (60)")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="measure for five seconds")
    arguments = parser.parse_args(words)
    from pysmpi.calibrate.campaign import Campaign
    from pysmpi.calibrate.noise import COLUMNS, Extent, draw, measure, model_document, noise_fit, report_text
    from pysmpi.calibrate.outputs import Outputs
    from pysmpi.calibrate.provenance import provenance
    from pysmpi.calibrate.table import read_table

    outputs = Outputs.of(arguments.output, ".json")
    if arguments.measured is None:
        check_load(arguments.force)
        extent = Extent()
        seconds = 5 if arguments.quick else arguments.seconds
        extent = Extent(round(seconds / extent.seconds), extent.seconds, extent.numbers())
        with Campaign(outputs.measurements, COLUMNS, provenance("noise", str(extent))) as campaign:
            measure(campaign, extent)
            table = campaign.table()
    else:
        table = read_table(arguments.measured, COLUMNS)
    fit = noise_fit(table)
    document = model_document(fit, table.provenance)
    write_all(outputs, document, report_text(fit, document), lambda path: draw(fit, path),
              force=arguments.force)  # fmt: skip
    notify(f"{outputs.main}: {fit.rate:.3g} detours a second on a core, {100 * fit.lost:.2g} % of the computation")
    return 0
