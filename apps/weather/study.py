"""Study of weather models on large machines: times of one pattern on one machine under one model.

study.py --point PATTERN --machine NAME --ranks P [--model packets|flows|loggps|floors] … [--json] (see --help)
simulates one point and stores nothing. Patterns are transposition (all three), halo (both sweeps) and allreduce (one,
of 24 bytes). Ranks fill the hosts in order, one on each.
"""

import argparse
import json
import subprocess
import sys
from typing import NoReturn

import machines
from points import MODELS, PATTERNS, Point, split

from pysmpi.errors import PysmpiError

GRID = (28800, 14400, 256)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        raise SystemExit(2)


def main() -> int:
    """Run a point, and print it."""
    point, as_json = parse()
    try:
        outcome = point.outcome()
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    except PysmpiError as error:
        print(f"study.py: {error}", file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps(outcome))
        return 0
    print(f"{point.pattern} on {point.machine}, {point.ranks:,} ranks as {point.cx} × {point.cy}, {point.model}")
    for part in [*outcome["parts"], {"name": "together", **outcome}]:
        cells = (f"{name} {part[name]:.6g} s" for name in ("seconds", "floor") if part[name] is not None)
        print(f"{part['name']:24} {', '.join(cells)}")
    return 0


def parse() -> tuple[Point, bool]:
    """Return the point of the command line, and whether to print JSON.

    Raises:
        SystemExit: the command line is not valid, or asks for help.
    """
    parser = _Parser(description="Simulates one point of the study of weather models.")
    parser.add_argument("--point", choices=PATTERNS, required=True, help="pattern of messages")
    parser.add_argument("--machine", choices=machines.SHAPES, required=True, help="name of a machine")
    parser.add_argument("--ranks", type=int, required=True, help="number of ranks")
    parser.add_argument("--cx", type=int, help="parts of x (by default, a divisor of the ranks near their root)")
    parser.add_argument("--cy", type=int, help="parts of y")
    parser.add_argument(
        "--grid", type=int, nargs=3, default=GRID, metavar=("NX", "NY", "NZ"), help="points of the grid"
    )
    parser.add_argument("--width", type=int, default=20, help="width of the halo (20)")
    parser.add_argument("--algorithm", help="algorithm of MPI_Alltoallv (ring-4), or of MPI_Allreduce (that of MPI)")
    parser.add_argument("--routing", help="routing, such as valiant (the machine's default)")
    parser.add_argument("--bandwidth", default=machines.BANDWIDTH, help=f"of each cable ({machines.BANDWIDTH})")
    parser.add_argument("--latency", default=machines.LATENCY, help=f"of each cable ({machines.LATENCY})")
    parser.add_argument("--message-cost", type=float, default=5e-7, metavar="SECONDS",
                        help="a rank's time for each message sent and each one received (5e-7)")  # fmt: skip
    parser.add_argument("--model", choices=[*MODELS, "floors"], default="packets", help="network model (packets)")
    parser.add_argument("--cfg", action="append", default=[], metavar="KEY:VALUE", help="setting of the simulation")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    options = parser.parse_args()
    if min(options.ranks, *options.grid, *(n for n in (options.cx, options.cy) if n is not None)) < 1:
        parser.error("--ranks, --cx, --cy and the sizes of --grid must be at least 1")
    grid = tuple(options.grid)
    cx, cy = split(options.point, options.ranks, grid)
    if options.cx is not None or options.cy is not None:
        cx = options.cx or options.ranks // options.cy
        cy = options.cy or options.ranks // cx
    _check(parser, options, cx, cy)
    algorithm = options.algorithm or ("ring-4" if options.point == "transposition" else None)
    point = Point(
        options.point, options.machine, options.ranks, cx, cy, options.model, grid, options.width,
        None if options.point == "halo" else algorithm, options.routing, options.bandwidth, options.latency,
        options.message_cost, tuple(options.cfg),
    )  # fmt: skip
    return point, options.json


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace, cx: int, cy: int) -> None:
    """End with an error if the ranks do not fit the split, the grid or the machine."""
    if cx * cy != options.ranks:
        parser.error(f"--cx {cx} × --cy {cy} must be the number of ranks, {options.ranks}")
    if options.width < 0 or options.message_cost < 0:
        parser.error("--width and --message-cost must be at least 0")
    if options.point == "allreduce":
        return
    limits = [("cx", cx, "x", options.grid[0]), ("cy", cy, "y", options.grid[1])]
    if options.point == "transposition":
        limits.append(("cx", cx, "z", options.grid[2]))
    for name, parts, dimension, points in limits:
        if parts > points:
            parser.error(f"--{name} {parts} is more than the {points} points of {dimension}; give at most {points}")


if __name__ == "__main__":
    sys.exit(main())
