"""Command ``pysmpi-calibrate node``: measure the inside of nodes by messages between ranks of a real MPI."""

from typing import Any

from pysmpi.calibrate.commands.common import (
    notify,
    number_above,
    part_parser,
    refusal_of_ranks,
    run_on_ranks,
    write_all,
)
from pysmpi.util.commands.parser import size_of

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi-calibrate node`` on each rank and return the exit status."""
    return run_on_ranks(_run, words)


def _run(words: list[str], world: Any) -> int:
    parser = part_parser(
        "node",
        "Measure the inside of nodes, mpiexec -n N pysmpi-calibrate node …, with a rank on each core of one host, or\n"
        "of two: messages on a socket, between sockets and between hosts, what several messages move together, and\n"
        "how ranks that wait slow down others. An interrupted run goes on where it was.",
        "properties of hosts, NAME.json",
    )
    parser.add_argument("--from", dest="measured", metavar="CSV", help="fit to this table, and do not measure")
    parser.add_argument("--quick", action="store_true", help="messages up to 256 KiB, twice each")
    parser.add_argument("--largest", metavar="SIZE", help="largest message (4MiB)")
    parser.add_argument("--rounds", type=number_above(0, int), metavar="N", help="measurements of each quantity (5)")
    parser.add_argument("--sockets", type=number_above(0, int), metavar="N",
                        help="sockets of a host, which its ranks share in order (default: as bound)")  # fmt: skip
    arguments = parser.parse_args(words)
    from pysmpi.calibrate.node import (
        COLUMNS,
        Extent,
        campaign_of,
        draw,
        model_document,
        node_model,
        report_text,
    )
    from pysmpi.calibrate.outputs import Outputs
    from pysmpi.calibrate.table import Table, read_table

    outputs = Outputs.of(arguments.output, ".json")
    table: Table | None
    if world is None:
        table = read_table(arguments.measured, COLUMNS)
    else:
        largest, rounds = ("256KiB", 2) if arguments.quick else ("4MiB", 5)
        extent = Extent(size_of("--largest", arguments.largest or largest), arguments.rounds or rounds)
        refusal = refusal_of_ranks(world, arguments.force)
        table = campaign_of(world, outputs.measurements, extent, notify, arguments.sockets, refusal)
    if table is None:
        return 0
    model = node_model(table)
    document = model_document(model, table.provenance)
    write_all(outputs, document, report_text(model, document), lambda path: draw(model, path),
              force=arguments.force)  # fmt: skip
    notify(f"{outputs.main}: messages on {', '.join(model.one_way)}; {outputs.report} shows them")
    return 0
