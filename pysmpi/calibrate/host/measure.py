"""Measurement of one host: each quantity several times, and memory bandwidth with one to all cores at once."""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from pysmpi.calibrate.campaign import Campaign, remaining
from pysmpi.calibrate.host.kernels import KERNELS, bandwidth
from pysmpi.calibrate.progress import followed
from pysmpi.calibrate.table import Column

__all__ = ["COLUMNS", "Extent", "Point", "measure", "plan"]

_MIB = 1 << 20
_DISTANCES = tuple(_MIB * number // 8 for number in (1, 8, 32, 64, 128, 256, 512, 2048))

COLUMNS = (
    Column("figure", str, choices=(*KERNELS, "bandwidth")),
    Column("bytes", int, optional=True),
    Column("cores", int, least=1),
    Column("amount", float),
    Column("seconds", float),
)


@dataclass(frozen=True)
class Extent:
    """Numbers of repetitions, array sizes and numbers of cores of the measurements.

    Attributes:
        rounds: number of measurements of each quantity, of which the median is used.
        distances: total bytes of the arrays for the bandwidth, from cache to memory sizes.
        cores: numbers of cores measured at once, or empty for 1, 2, 4, … and all.
    """

    rounds: int = 5
    distances: tuple[int, ...] = _DISTANCES
    cores: tuple[int, ...] = ()

    def numbers_of_cores(self) -> tuple[int, ...]:
        """Return `cores` if given, else 1, 2, 4, … and the number of all cores that this process may use."""
        every = len(os.sched_getaffinity(0))
        return self.cores or tuple(sorted({every, *(1 << power for power in range(every.bit_length()))} - {0}))


@dataclass(frozen=True, slots=True)
class Point:
    """Planned measurement: a quantity, the total bytes of the arrays if the quantity is a bandwidth, and the number of
    busy cores."""

    figure: str
    bytes: int | None
    cores: int


def plan(extent: Extent) -> list[Point]:
    """Return all quantities to measure, round by round."""
    each = [Point(figure, None, 1) for figure in KERNELS]
    each += [
        Point("bandwidth", distance, cores) for cores in extent.numbers_of_cores() for distance in extent.distances
    ]
    return each * extent.rounds


def measure(campaign: Campaign, points: Sequence[Point], notify: Callable[[str], None]) -> None:
    """Measure the planned quantities that are not yet in the campaign's table; report any that cannot be measured."""
    left = remaining(points, (Point(row["figure"], row["bytes"], row["cores"]) for row in campaign.rows))
    missing: set[str] = set()
    for point in followed(left, "figures", len(points) - len(left)):
        if point.figure in missing:
            continue
        try:
            found = [KERNELS[point.figure]()] if point.bytes is None else _at_once(point.bytes, point.cores)
        except (ImportError, RuntimeError) as error:  # from mpi4py without an MPI library
            missing.add(point.figure)
            notify(f"{point.figure} could not be measured: {error}")
            continue
        for amount, seconds in found:
            campaign.add({"figure": point.figure, "bytes": point.bytes, "cores": point.cores, "amount": amount,
                          "seconds": seconds})  # fmt: skip


def _at_once(distance: int, cores: int) -> list[tuple[float, float]]:
    """Measure the memory bandwidth in `cores` processes at once, each on arrays of `distance` bytes in total.

    Returns bytes and seconds of the slowest process.
    """
    if cores == 1:
        return [bandwidth(distance)]
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as processes:
        list(processes.map(bandwidth, [_DISTANCES[0]] * cores))  # returns when all processes have started
        found = list(processes.map(bandwidth, [distance] * cores))
    return [max(found, key=lambda figure: figure[1] / figure[0])]
