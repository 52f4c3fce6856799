"""Measurement of BLAS and LAPACK calls with operands of random sizes, in random order."""

import gc
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pysmpi.calibrate.blas.kernels import KERNELS
from pysmpi.calibrate.campaign import Campaign, remaining
from pysmpi.calibrate.progress import followed
from pysmpi.calibrate.table import Column
from pysmpi.errors import CalibrationError, unknown
from pysmpi.simulation.compute.blas.routines import ROUTINES, split_name

__all__ = ["COLUMNS", "SIZES", "Extent", "Point", "measure", "plan"]

SIZES = ("m", "n", "k")
COLUMNS = (
    Column("routine", str, choices=tuple(ROUTINES)),
    *(Column(size, int, least=1, optional=True) for size in SIZES),
    Column("seconds", float),
)

_TYPES = {"s": "f4", "d": "f8"}
_ATTEMPTS = 1000
_LONGEST_VECTOR = 256  # largest length of vectors over largest size of matrices; equals 256 columns of such a matrix


@dataclass(frozen=True)
class Extent:
    """Number, sizes and clock of the measurements of each routine.

    Attributes:
        sizes: number of combinations of sizes.
        repetitions: number of calls per combination; all calls are in random order.
        smallest: least size of matrices and vectors.
        largest: largest size of matrices; vectors are up to 256 times as long.
        memory: limit in bytes for the operands of a call.
        distribution: distribution of sizes: "log-uniform" or "uniform".
        clock: "wall", or "processor" to exclude time in which other programs use the core.
        seed: seed of all random choices.
    """

    sizes: int = 100
    repetitions: int = 5
    smallest: int = 8
    largest: int = 2048
    memory: int = 1 << 30
    distribution: str = "log-uniform"
    clock: str = "wall"
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.smallest < self.largest:
            raise CalibrationError(
                f"sizes from {self.smallest} to {self.largest} are not valid; the smallest must be at "
                "least 1 and below the largest"
            )
        if min(self.sizes, self.repetitions) < 1:
            raise CalibrationError(
                f"{self.sizes} sizes with {self.repetitions} repetitions are not valid; each must be at least 1"
            )


@dataclass(frozen=True, slots=True)
class Point:
    """Planned measurement: a routine, and its sizes by name."""

    routine: str
    sizes: tuple[tuple[str, int], ...]


def plan(routines: Sequence[str], extent: Extent) -> list[Point]:
    """Return all calls in the order of measurement, which depends only on the arguments.

    Raises:
        CalibrationError: if a routine is unknown, or no sizes fit into the memory limit.
    """
    import numpy as np

    points: list[Point] = []
    for routine in routines:
        if routine not in KERNELS:
            raise CalibrationError(unknown("routine", routine, KERNELS))
        rng = np.random.default_rng([extent.seed, *routine.encode()])
        points += [_point(routine, extent, rng) for _ in range(extent.sizes)] * extent.repetitions
    order = np.random.default_rng(extent.seed).permutation(len(points))
    return [points[index] for index in order]


def _point(routine: str, extent: Extent, rng: Any) -> Point:
    kernel, names = KERNELS[routine], ROUTINES[routine]
    largest = extent.largest * (_LONGEST_VECTOR if names == ("n",) and kernel.leading == "n" else 1)
    for _ in range(_ATTEMPTS):
        if extent.distribution == "uniform":
            drawn = {name: int(rng.integers(extent.smallest, largest, endpoint=True)) for name in names}
        else:
            low, high = math.log(extent.smallest), math.log(largest + 1)
            drawn = {name: min(largest, int(math.exp(rng.uniform(low, high)))) for name in names}
        sizes = kernel.settle(drawn, rng) if kernel.settle else drawn
        if kernel.numbers(sizes) * _width(routine) <= extent.memory:
            return Point(routine, tuple(sizes.items()))
    raise CalibrationError(
        f"{routine}: almost no sizes up to {largest} fit into {extent.memory} bytes; allow more "
        "memory, or smaller sizes"
    )


def _width(routine: str) -> int:
    return 4 if split_name(routine)[0] == "s" else 8


def measure(campaign: Campaign, points: Sequence[Point], clock: str) -> None:
    """Measure the planned calls that are not yet in the campaign's table."""
    left = remaining(
        points,
        (Point(row["routine"], tuple((size, row[size]) for size in ROUTINES[row["routine"]])) for row in campaign.rows),
    )
    collected = gc.isenabled()
    gc.disable()
    try:
        for point in followed(left, "calls", len(points) - len(left)):
            campaign.add({"routine": point.routine, **dict(point.sizes), "seconds": _seconds(point, clock)})
    finally:
        if collected:
            gc.enable()


def _seconds(point: Point, clock: str) -> float:
    """Return the seconds of one call. An untimed call comes first, to warm the caches as a running program does."""
    import numpy as np
    from scipy.linalg import blas, lapack

    function = getattr(blas, point.routine, None) or getattr(lapack, point.routine)
    numbers = np.random.default_rng(0).random(1 << 12) * 1e-3
    kind = _TYPES[split_name(point.routine)[0]]

    def new(rows: int, columns: int | None = None) -> Any:
        whole = np.resize(numbers, rows * (columns or 1)).astype(kind)
        return whole if columns is None else whole.reshape((rows, columns), order="F")

    call = KERNELS[point.routine].call(function, dict(point.sizes), new)
    now = time.thread_time_ns if clock == "processor" else time.perf_counter_ns
    for _ in range(2):
        if call.renew is not None:
            call.renew()
        start = now()
        call.run()
        taken = now() - start
    return taken / 1e9
