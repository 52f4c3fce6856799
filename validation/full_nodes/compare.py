"""Compare predictions with measurements on full nodes: python validation/full_nodes/compare.py [OPTION ...].

Prints the median and the 90th percentile of the absolute errors, and the median of the errors (the bias), by machine,
environment, benchmark, nodes and size. osu_latency and osu_bw, with one rank on each of two nodes, show how much of the
error comes from single messages. Each further OPTION is given to pysmpirun, such as ``--cfg=platform/node-model:no``.
With the defaults, this takes some minutes, and no simulation more than 60 s of processor time.
"""

import argparse
import csv
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from predict import Machine, Series, machine_of, predict, series

__all__ = ["Point", "main"]

SIZES = tuple(4**power for power in range(1, 11))
"""Bytes that are compared: 4 B to 1 MiB."""

DISCARDED = ("eks-noefa",)
"""Environments that the authors of the study found not to work: this one had no shared memory."""


class Point(NamedTuple):
    """A measured time with its prediction, in seconds."""

    of: Series
    size: int
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """Relative error of the prediction."""
        return self.predicted / self.measured - 1


def points(asked: Sequence[Series], options: Sequence[str], workers: int) -> list[Point]:
    """Return the points of all series, with one simulation for all environments whose inputs are equal."""
    simulated: dict[tuple[Machine, str, int], Series] = {}
    for one in asked:
        key = (machine_of(one), one.benchmark, one.nodes)
        before = simulated.setdefault(key, one)
        simulated[key] = before._replace(times=before.times | one.times)
    with ThreadPoolExecutor(workers) as pool:
        found = dict(zip(simulated, pool.map(lambda each: predict(each, options), simulated.values()), strict=True))
    return [
        Point(one, size, seconds, found[machine_of(one), one.benchmark, one.nodes][size])
        for one in asked
        for size, seconds in one.times.items()
    ]


def summary(name: str, of: Iterable[Point]) -> str:
    """Return a line with the errors of some points."""
    errors = [each.error for each in of]
    sizes = sorted(map(abs, errors))
    ninth = sizes[round(0.9 * (len(sizes) - 1))]
    return (
        f"{name:52} {len(sizes):4} points: median {100 * statistics.median(sizes):5.1f} %, "
        f"90 % below {100 * ninth:5.1f} %, bias {100 * statistics.median(errors):+6.1f} %"
    )


def print_groups(found: Sequence[Point], key: Callable[[Point], str]) -> None:
    """Print the errors of each group of points, in the order of the groups' first points."""
    for name in dict.fromkeys(key(each) for each in found):
        print(summary(name, [each for each in found if key(each) == name]))


def size_class(point: Point) -> str:
    """Return the class of a point's size."""
    return "up to 2 KiB" if point.size <= 2048 else "below 64 KiB" if point.size < 65536 else "from 64 KiB up"


def write(file: Path, found: Iterable[Point]) -> None:
    """Write all points as CSV."""
    with file.open("w", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(
            ["machine", "environment", "benchmark", "nodes", "ranks", "bytes", "measured_us", "predicted_us"]
        )
        for each in found:
            of = each.of
            writer.writerow([of.machine, of.environment, of.benchmark, of.nodes, of.ranks, each.size,
                             f"{1e6 * each.measured:.5g}", f"{1e6 * each.predicted:.5g}"])  # fmt: skip


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Compare predictions with full nodes.", allow_abbrev=False)
    parser.add_argument("--machine", help="only this machine: aws, azure, google or dane")
    parser.add_argument("--benchmark", help="only this benchmark: osu_allreduce, osu_latency or osu_bw")
    parser.add_argument("--ranks", type=int, default=7168, help="highest number of ranks of a simulation (7168)")
    parser.add_argument("--all-sizes", action="store_true", help="compare all sizes, not only powers of 4")
    parser.add_argument("--points", action="store_true", help="print each point, too")
    parser.add_argument("--output", type=Path, help="CSV file for all points")
    parser.add_argument("--workers", type=int, default=2, help="simulations at the same time (2)")
    asked, options = parser.parse_known_args()
    chosen = [
        one._replace(times={size: time for size, time in one.times.items() if asked.all_sizes or size in SIZES})
        for one in series()
        if asked.machine in (None, one.machine)
        and asked.benchmark in (None, one.benchmark)
        and one.ranks <= asked.ranks
        and one.environment not in DISCARDED
    ]
    found = points(chosen, options, asked.workers)
    if asked.output:
        write(asked.output, found)
    if asked.points:
        for each in found:
            name = f"{each.of.machine} {each.of.environment} {each.of.benchmark} on {each.of.nodes} nodes"
            print(f"{name:52} {each.size:10} {1e6 * each.measured:12.2f} {1e6 * each.predicted:12.2f} us "
                  f"{100 * each.error:+7.1f} %")  # fmt: skip
    print_groups(found, lambda each: f"{each.of.machine} {each.of.benchmark}")
    print_groups(found, lambda each: f"{each.of.machine} {each.of.benchmark}, {size_class(each)}")
    print_groups(found, lambda each: f"{each.of.machine} {each.of.environment} {each.of.benchmark} on {each.of.nodes}")
    print_groups(found, lambda each: f"{each.of.benchmark}, {size_class(each)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
