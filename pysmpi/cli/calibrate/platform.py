"""Command ``pysmpi-calibrate platform``: assemble a platform from measured models and compare it with measurements."""

from pysmpi.cli.calibrate.common import notify, number_above, part_parser, write_picture

__all__ = ["main"]


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
    parser.add_argument("--speed", type=number_above(0.0), metavar="FLOPS", help="speed of a core in flop/s")
    arguments = parser.parse_args(words)
    from pysmpi.calibrate.assembly import check_platform, draw, platform_text, read_parts, report_text
    from pysmpi.calibrate.outputs import Outputs, write_whole

    outputs = Outputs.of(arguments.output, ".xml")
    parts = read_parts(
        arguments.network,
        node=arguments.node,
        host=arguments.host,
        power=arguments.power,
        blas=arguments.blas,
        speed=arguments.speed,
    )
    write_whole(outputs.main, platform_text(parts, arguments.topology, arguments.cores))
    checks = check_platform(outputs.main, parts)
    blas = f" --blas {arguments.blas}" if arguments.blas else ""
    outputs.write_report(report_text(parts, checks, f"pysmpirun -np N --platform {outputs.main}{blas} PROGRAM"))
    write_picture(outputs, lambda path: draw(checks, path))
    for check in checks:
        notify(f"{outputs.main}: {check.place}: ping-pongs as measured to {100 * abs(check.errors).max():.3g} %")
    return 0
