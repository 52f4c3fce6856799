"""Compare predictions with published collectives of ORFEO: python validation/orfeo/compare.py [--plot FILE].

The tables have measured times with the errors of predictions, and the errors by kind of message, with parts of the
model left out. They take about two minutes. With ``--plot``, a picture is drawn instead.
"""

import argparse
import sys
from collections.abc import Container, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "osu"))

from comparison import Point, draw, print_summary, print_table
from predict import predict
from thin_nodes import CORES, STEPS, rows

LARGE = 65536
"""Bytes of a broadcast from which on memory decides."""

DRAWN = {"linear broadcast, by core": "linear, by core, {} ranks", "binomial broadcast": "binomial, by core, {} ranks"}


def main() -> int:
    """Print all tables, or draw the picture."""
    parser = argparse.ArgumentParser(description="Compare predictions with ORFEO's measurements.", allow_abbrev=False)
    parser.add_argument("--plot", metavar="FILE", help="draw a picture instead, also without the shared memory")
    asked = parser.parse_args()
    whole = list(broadcasts())
    if asked.plot:
        alone = list(broadcasts(["memory"]))
        panels = {
            title: {
                f"{ranks} ranks": [
                    [point for point in found if point.row == row.format(ranks)] for found in (whole, alone)
                ]
                for ranks in (24, 12, 8, 4)
            }
            for title, row in DRAWN.items()
        }
        draw(panels, asked.plot)
        return 0
    print_table("broadcast", "B", whole)
    print_table("barrier", "ranks", list(barriers()))
    variants: dict[str, list[str]] = {"whole": []} | {f"without {step}": [step] for step in STEPS}
    print_summary(lambda without: [*broadcasts(without), *barriers(without)], variants)
    return 0


def broadcasts(without: Container[str] = ()) -> Iterator[Point]:
    """Return the measured broadcasts with their predictions, without some of the model's steps."""
    for row in rows("bcast.csv"):
        sizes = [int(size) for size in row if size.isdigit()]
        times = predict("bcast", row["algorithm"], row["mapping"], int(row["ranks"]), sizes, without)
        label = f"{row['algorithm']}, by {row['mapping']}, {row['ranks']} ranks"
        for size, seconds in zip(sizes, times, strict=True):
            part = "from 64 KiB up" if size >= LARGE else "below 64 KiB"
            kind = f"broadcasts, {nodes_of(row['mapping'], int(row['ranks']))}, {part}"
            marked = str(size) in row["calibration"].split()
            yield Point(kind, label, size, 1e-6 * float(row[str(size)]), seconds, marked)


def barriers(without: Container[str] = ()) -> Iterator[Point]:
    """Return the measured barriers with their predictions, without some of the model's steps."""
    for row in rows("barrier.csv"):
        label = f"{row['algorithm'].replace('_', ' ')}, by {row['mapping']}"
        for ranks in (int(name) for name in row if name.isdigit()):
            (seconds,) = predict("barrier", row["algorithm"], row["mapping"], ranks, [1], without)
            kind = f"barriers, {nodes_of(row['mapping'], ranks)}"
            marked = str(ranks) in row["calibration"].split()
            yield Point(kind, label, ranks, 1e-6 * float(row[str(ranks)]), seconds, marked)


def nodes_of(mapping: str, ranks: int) -> str:
    """Return whether the ranks are on one node or on two."""
    return "one node" if mapping != "node" and ranks <= CORES else "two nodes"


if __name__ == "__main__":
    sys.exit(main())
