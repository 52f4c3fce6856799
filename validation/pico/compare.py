"""Compare predictions with the open part of a public campaign: python validation/pico/compare.py [OPTION ...].

Prints the median and the 90th percentile of the absolute errors by machine, collective and size. Each OPTION is given
to pysmpirun, such as ``--cfg=smpi/copy-bandwidth:0``. MareNostrum 5 and LUMI take two minutes together, Fugaku more
than ten.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from predict import LARGE, Series, predict, series

__all__ = ["Point", "main"]

SMALL = 2048
"""Bytes up to which a point counts as small."""


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
    """Return the points of all series, predicted with further options of pysmpirun."""
    with ThreadPoolExecutor(workers) as pool:
        found = pool.map(lambda each: predict(each, options), asked)
        return [
            Point(one, size, one.times[size], times[size])
            for one, times in zip(asked, found, strict=True)
            for size in one.times
        ]


def summary(name: str, of: Iterable[Point]) -> str:
    """Return a line with the errors of some points."""
    errors = [each.error for each in of]
    if not errors:
        return f"{name:44} no points"
    sizes = sorted(map(abs, errors))
    return (
        f"{name:44} {len(sizes):4} points: median {100 * statistics.median(sizes):5.1f} %, "
        f"90 % below {100 * sizes[int(0.9 * (len(sizes) - 1))]:5.1f} %, bias {100 * statistics.median(errors):+6.1f} %"
    )


def print_groups(found: Sequence[Point], key: Callable[[Point], str]) -> None:
    """Print the errors of each group of points."""
    for name in sorted({key(each) for each in found}):
        print(summary(name, [each for each in found if key(each) == name]))


def size_class(point: Point) -> str:
    """Return the class of a point's size."""
    return "up to 2 KiB" if point.size <= SMALL else "below 64 KiB" if point.size < LARGE else "from 64 KiB up"


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Compare predictions with a public campaign.", allow_abbrev=False)
    parser.add_argument("--machine", help="only this machine, by the campaign's name")
    parser.add_argument("--points", action="store_true", help="print each point, too")
    parser.add_argument("--workers", type=int, default=2, help="simulations at the same time (2)")
    asked, options = parser.parse_known_args()
    chosen = [each for each in series() if asked.machine in (None, each.machine)]
    found = points(chosen, options, asked.workers)
    if asked.points:
        for each in found:
            name = f"{each.of.machine} {each.of.nodes} {each.of.collective} {each.of.algorithm}"
            print(f"{name:60} {each.size:10} {1e6 * each.measured:12.2f} {1e6 * each.predicted:12.2f} us "
                  f"{100 * each.error:+7.1f} %")  # fmt: skip
    print(summary("all", found))
    print_groups(found, size_class)
    print_groups(found, lambda each: f"{each.of.machine}, {size_class(each)}")
    print_groups(found, lambda each: f"{each.of.machine} {each.of.collective} from 64 KiB up" if each.size >= LARGE
                 else f"{each.of.machine} {each.of.collective} below 64 KiB")  # fmt: skip
    print_groups(found, lambda each: f"{each.of.collective} {each.of.algorithm}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
