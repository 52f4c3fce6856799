"""Compare predictions with published collectives on Alaska: python validation/alaska/compare.py [--plot FILE].

The tables have measured times with the errors of predictions, and the errors with parts of the model left out. With
``--plot``, a picture is drawn instead.
"""

import argparse
import csv
import sys
from collections.abc import Container, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "osu"))

from comparison import Point, draw, print_summary, print_table
from predict import predict
from systems import CORES, HERE, NODES, STEPS


def main() -> int:
    """Print all tables, or draw the picture."""
    parser = argparse.ArgumentParser(description="Compare predictions with Alaska's measurements.", allow_abbrev=False)
    parser.add_argument("--plot", metavar="FILE", help="draw a picture instead, also without the shared memory")
    asked = parser.parse_args()
    whole = list(points())
    if asked.plot:
        alone = list(points(["memory"]))
        panels = {
            kind: {"64 ranks": [[point for point in found if point.kind == kind] for found in (whole, alone)]}
            for kind in ("allreduce", "allgather")
        }
        draw(panels, asked.plot)
        return 0
    print_table("64 ranks", "B", whole)
    variants: dict[str, list[str]] = {"whole": []} | {f"without {step}": [step] for step in STEPS}
    print_summary(points, variants | {"without all eight": list(STEPS)})
    return 0


def points(without: Container[str] = ()) -> Iterator[Point]:
    """Return the measured collectives with their predictions, without some of the model's steps."""
    with (HERE / "collectives.csv").open(newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    for row in rows:
        sizes = [int(size) for size in row if size.isdigit() and row[size]]
        times = predict(row["system"], row["mpi"], row["collective"], NODES * CORES, sizes, without)
        label = f"{row['collective']}, {row['system']}, {row['mpi']}"
        for size, seconds in zip(sizes, times, strict=True):
            marked = str(size) in row["calibration"].split()
            yield Point(row["collective"], label, size, 1e-6 * float(row[str(size)]), seconds, marked)


if __name__ == "__main__":
    sys.exit(main())
