"""Compare predictions with the open part of a public campaign: python validation/pico/compare.py [OPTION ...].

Prints the median and the 90th percentile of the absolute errors by machine, collective and size; the interval of
measured divided by predicted times that holds 90 % of the points, and the share of each machine's points in the
interval of the other machines; and how well the predictions order algorithms and machines (Kendall's tau). Each OPTION
is given to pysmpirun, such as ``--cfg=smpi/copy-bandwidth:0``. MareNostrum 5 and LUMI take two minutes together, Fugaku
more than ten.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from predict import LARGE, Series, predict, series
from scipy.stats import kendalltau

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

    @property
    def factor(self) -> float:
        """Measured time divided by the predicted time."""
        return self.measured / self.predicted


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


def grouped(found: Iterable[Point], key: Callable[[Point], Hashable]) -> list[list[Point]]:
    """Return the points in groups with equal keys, in the order of their first points."""
    groups: dict[Hashable, list[Point]] = {}
    for each in found:
        groups.setdefault(key(each), []).append(each)
    return list(groups.values())


def interval(of: Sequence[Point]) -> tuple[float, float]:
    """Return the 5th and the 95th percentile of measured divided by predicted times."""
    low, high = np.quantile([each.factor for each in of], [0.05, 0.95])
    return float(low), float(high)


def print_intervals(found: Sequence[Point]) -> None:
    """Print the interval of real times, and its share of each machine's points if it is taken from the others."""
    low, high = interval(found)
    print(f"90 % of the real times are between {low:.2f} and {high:.2f} times the predicted ones")
    for of_machine in grouped(found, lambda each: each.of.machine):
        machine = of_machine[0].of.machine
        others = [each for each in found if each.of.machine != machine]
        if not others:
            continue
        low, high = interval(others)
        held = statistics.mean(low <= each.factor <= high for each in of_machine)
        print(
            f"the interval of the other machines, {low:.2f} to {high:.2f}, holds {held:.0%} of the points of {machine}"
        )


def print_order(found: Sequence[Point]) -> None:
    """Print how well predictions order algorithms for a call, and machines for an algorithm."""
    kinds: list[tuple[str, Callable[[Point], Hashable], int]] = [
        ("algorithms", lambda each: (each.of.machine, each.of.nodes, each.of.collective, each.size), 3),
        ("machines", lambda each: (each.of.ranks, each.of.collective, each.of.algorithm, each.size), 2),
    ]
    for what, key, least in kinds:
        groups = [group for group in grouped(found, key) if len({each.measured for each in group}) >= least]
        if not groups:
            continue
        taus = [kendalltau(*zip(*((each.measured, each.predicted) for each in group), strict=True)).statistic
                for group in groups]  # fmt: skip
        lost = [min(group, key=lambda each: each.predicted).measured / min(each.measured for each in group) - 1
                for group in groups]  # fmt: skip
        print(f"order of {what} in {len(groups)} groups: Kendall's tau {np.nanmean(taus):.2f} on average; the one "
              f"predicted to be fastest took {100 * statistics.median(lost):.0f} % longer than the fastest in the "
              f"median, {100 * np.quantile(lost, 0.9):.0f} % in the 90th percentile")  # fmt: skip


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
    print_intervals(found)
    print_order(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
