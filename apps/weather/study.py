"""Study of weather models on large machines: times of one pattern on one machine under one model.

study.py --point PATTERN --machine NAME --ranks P [--model packets|flows|loggps|floors] … [--json] (see --help)
simulates one point and stores nothing. Patterns are transposition (all three), halo (both sweeps) and allreduce (one,
of 24 bytes). Ranks fill the hosts in order, one on each.

study.py --figure F [--figure F …] [-o FOLDER] draws figures from the stored points. With --points P …, it first
simulates the points of these figures for those numbers of ranks, unless they are stored. They are a study of pysmpi in
the folder NAME.json.points beside the stored points, so an interrupted study goes on where it stopped.
"""

import argparse
import json
import pathlib
import sys

import machines
from catalogue import COST, FIGURES
from partition import check_split
from points import GRID, MODELS, PATTERNS, Point, split, text
from results import Results

import pysmpi
from pysmpi.errors import PysmpiError, unknown
from pysmpi.util.commands.parser import Parser
from pysmpi.util.pictures import FORMATS

STORED = pathlib.Path(__file__).resolve().parents[2] / "validation" / "weather" / "results.json.gz"


def main() -> int:
    """Run a point, or draw figures."""
    parser = _parser()
    try:
        options = parser.parse_args()
        if options.point is None:
            return figures(parser, options)
        return one_point(parse_point(parser, options), options.json)
    except PysmpiError as error:
        print(f"study.py: {error}", file=sys.stderr)
        return 2


def one_point(point: Point, as_json: bool) -> int:
    """Simulate and print a point."""
    outcome = point.outcome()
    if as_json:
        print(json.dumps(point.description | outcome))
        return 0
    print(f"{point.pattern} on {point.machine}, {point.ranks:,} ranks as {point.cx} × {point.cy}, {point.model}")
    for part in [*outcome["parts"], {"name": "together", **outcome}]:
        cells = (f"{name} {part[name]:.6g} s" for name in ("seconds", "floor") if part[name] is not None)
        print(f"{part['name']:24} {', '.join(cells)}")
    return 0


def simulate(results: Results, wanted: list[Point], jobs: int) -> int:
    """Simulate points, `jobs` at a time, add their outcomes, and print errors; return the number of failures."""
    values = [{f"arguments.{name}": value for name, value in point.options().items()} for point in wanted]
    scripts = [f"{pattern}.py" for pattern in PATTERNS]
    study = pysmpi.Study(function="points.py:outcome", design="listed", points=values, inputs=scripts,
                         folder=pathlib.Path(__file__).parent)  # fmt: skip
    folder = results.path.with_name(f"{results.path.name}.points")
    table = study.run(folder, parallel=jobs, progress=sys.stderr, keeps_table=False)
    found, failures = {}, 0
    for point, row in zip(wanted, table, strict=True):
        if row["status"] == "done":
            found[point] = point.description | json.loads(str(row["metric.outcome"]))
        else:
            failures += 1
            print(f"{text(point.options().values())}: {row['error']}", file=sys.stderr)
    results.add(found)
    return failures


def figures(parser: Parser, options: argparse.Namespace) -> int:
    """Simulate missing points, and draw figures."""
    from drawing import draw

    if not options.figure:
        parser.error("--point PATTERN or --figure F is required")
    for name in options.figure:
        if name not in FIGURES:
            parser.error(unknown("figure", name, tuple(FIGURES)))
    if options.jobs < 1 or min(options.points, default=2) < 2:
        parser.error("--points must be at least 2, and --jobs at least 1")
    if not (options.points or options.results.exists()):
        parser.error(f"--results {options.results} does not exist; give --points P to simulate points")
    results = Results(options.results)
    wanted = results.missing(options.figure, options.points, options.model)
    failures = simulate(results, wanted, options.jobs) if wanted else 0
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.figure:
        for line in draw(name, results, options.model, options.output, options.format):
            print(line)
    return 1 if failures else 0


def _parser() -> Parser:
    parser = Parser(description="Simulates points of the study of weather models, and draws its figures.")
    parser.add_argument("--figure", action="append", default=[], metavar="F", help=f"draw {', '.join(FIGURES)}")
    parser.add_argument("--points", type=int, nargs="+", default=[], metavar="P",
                        help="with --figure: simulate what is missing on P ranks")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=1, help="with --points: points in parallel (1)")
    parser.add_argument("--results", type=pathlib.Path, default=STORED, help="stored points, NAME.json or NAME.json.gz")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path(), help="folder of the pictures (.)")
    parser.add_argument("--format", choices=FORMATS, default="png", help="of the pictures (png)")
    parser.add_argument("--point", choices=PATTERNS, help="simulate one point of this pattern of messages")
    parser.add_argument("--machine", choices=machines.SHAPES, help="name of a machine")
    parser.add_argument("--ranks", type=int, help="number of ranks")
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
    parser.add_argument("--message-cost", type=float, default=COST, metavar="SECONDS",
                        help="a rank's time for each message sent and each one received (5e-7)")  # fmt: skip
    parser.add_argument("--model", choices=[*MODELS, "floors"], default="packets", help="network model (packets)")
    parser.add_argument("--cfg", action="append", default=[], metavar="KEY:VALUE", help="setting of the simulation")
    parser.add_argument("--global-cables", type=int, default=1, metavar="N",
                        help="cables of each router of a dragonfly to other groups (1)")  # fmt: skip
    parser.add_argument("--delays", type=int, metavar="N",
                        help="also report packets' delays, summed between N groups of neighbouring ranks")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    return parser


def parse_point(parser: Parser, options: argparse.Namespace) -> Point:
    """Return the point of the command line.

    Raises:
        LaunchError: the command line is not valid.
    """
    for name in ("machine", "ranks"):
        if getattr(options, name) is None:
            parser.error(f"--point needs --{name}")
    if options.delays is not None and (options.model != "packets" or options.delays < 1):
        parser.error("--delays must be at least 1, and needs --model packets")
    if options.global_cables < 1 or (options.global_cables > 1 and not options.machine.startswith("dragonfly")):
        parser.error("--global-cables must be at least 1, and more than 1 needs a dragonfly")
    if min(options.ranks, *options.grid, *(n for n in (options.cx, options.cy) if n is not None)) < 1:
        parser.error("--ranks, --cx, --cy and the sizes of --grid must be at least 1")
    if options.width < 0 or options.message_cost < 0:
        parser.error("--width and --message-cost must be at least 0")
    cx, cy = split(options.point, options.ranks, tuple(options.grid))
    if options.cx is not None or options.cy is not None:
        cx = options.cx or options.ranks // options.cy
        cy = options.cy or options.ranks // cx
    divided = {"transposition": "xyz", "halo": "xy", "allreduce": ""}[options.point]
    if (problem := check_split(cx, cy, options.ranks, options.grid, divided)) is not None:
        parser.error(problem)
    algorithm = options.algorithm or ("ring-4" if options.point == "transposition" else None)
    return Point.of(vars(options) | {"pattern": options.point, "cx": cx, "cy": cy, "algorithm": algorithm})


if __name__ == "__main__":
    sys.exit(main())
