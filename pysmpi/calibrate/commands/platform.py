"""Command ``pysmpi-calibrate platform``: assemble a platform from measured models and compare it with measurements."""

import tempfile
from dataclasses import replace
from pathlib import Path

from pysmpi.calibrate.options import number_above, part_parser, quantity
from pysmpi.calibrate.progress import notify

__all__ = ["main"]

_FAILED = 1


def main(words: list[str]) -> int:
    """Run ``pysmpi-calibrate platform`` and return the exit status."""
    parser = part_parser(
        "platform",
        "Put the models of the other parts together into a platform file, simulate the calibration's own ping-pong on\n"
        "it, and compare.",
        "the platform, NAME.xml",
    )
    parser.add_argument("--network", required=True, metavar="JSON", help="result of pysmpi-calibrate network")
    parser.add_argument(
        "--blas", metavar="JSON", help="result of pysmpi-calibrate blas, which sets the speed of a core"
    )
    parser.add_argument("--node", metavar="JSON", help="result of pysmpi-calibrate node, the insides of hosts")
    parser.add_argument("--host", metavar="JSON", help="result of pysmpi-calibrate host")
    parser.add_argument("--power", metavar="JSON", help="result of pysmpi-calibrate power")
    parser.add_argument("--topology", metavar="TEXT",
                        help="such as flat:16 or fattree:2/4,4/1,2/1,2 (default: one host)")  # fmt: skip
    parser.add_argument("--cores", type=number_above(0, int), metavar="N", help="cores of a host")
    parser.add_argument("--speed", type=quantity("speed"), metavar="SPEED", help="speed of a core, such as 36Gf")
    arguments = parser.parse_args(words)
    from pysmpi.calibrate.assembly import check_platform, draw, inside_of_nodes, platform_text, read_parts, report_text
    from pysmpi.calibrate.outputs import Outputs, write_whole

    outputs = Outputs.of(arguments.output, ".xml")
    parts = read_parts(
        arguments.network,
        node=arguments.node,
        host=arguments.host,
        power=arguments.power,
        blas=arguments.blas,
        speed=arguments.speed,
        force=arguments.force,
    )
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder, outputs.main.name)
        write_whole(trial, platform_text(parts, arguments.topology, arguments.cores))
        checks = check_platform(trial, parts)
        of_nodes = check_platform(trial, parts, inside_of_nodes(parts))
    replaced = {check.place for check in of_nodes}
    beyond = [
        text
        for check in [*of_nodes, *(check for check in checks if check.place not in replaced)]
        if (text := check.beyond(0.0 if check in of_nodes else parts.fit_errors.get(check.place, 0.0)))
    ]
    blas = f" --blas {arguments.blas}" if arguments.blas else ""
    outputs.write_report(report_text(parts, checks, f"pysmpirun -np N --platform {outputs.main}{blas} PROGRAM"))
    outputs.write_picture(lambda path: draw(checks, path))
    for check in checks:
        notify(f"{outputs.main}: {check.place}: ping-pongs as measured to {100 * abs(check.errors).max():.3g} %")
    for text in (*parts.forced, *beyond):
        notify(f"warning: {text}")
    if beyond and not arguments.force:
        notify(f"{outputs.main} was not written, because it does not reproduce its input; {outputs.report} has all "
               "figures, and --force writes it in any case")  # fmt: skip
        return _FAILED
    parts = replace(parts, forced=(*parts.forced, *beyond))
    errors = [error for check in checks for error in check.errors]
    band = (float(min(errors)), float(max(errors))) if errors else None
    write_whole(outputs.main, platform_text(parts, arguments.topology, arguments.cores, band))
    return 0
