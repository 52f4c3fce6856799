"""Measurement of messages between ranks of a real MPI (or of a simulation): on one host, between hosts, or both."""

import math
import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pysmpi.calibrate.campaign import Campaign, remaining
from pysmpi.calibrate.network.exchanges import answer, ask, cost_of_calls, dismiss
from pysmpi.calibrate.network.thresholds import first_that_waits
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.progress import followed
from pysmpi.calibrate.table import Column, Table
from pysmpi.errors import CalibrationError

__all__ = ["COLUMNS", "Extent", "campaign_of", "peers", "plan_of"]

PLACES = ("intra", "inter")
MESSAGES = ("pingpong", "send", "isend", "late_recv")
POLLS = ("wtime", "iprobe", "test")
TRIALS = ("late_send",)  # calls that are measured to find the size from which MPI_Send waits
COLUMNS = (
    Column("place", str, choices=PLACES),
    Column("call", str, choices=(*MESSAGES, *TRIALS, *POLLS)),
    Column("bytes", int, optional=True),
    Column("delay", float, optional=True),
    Column("seconds", float),
)

_LEAST_DELAY = 50e-6
_DELAYS = 4  # delay of a late call, relative to the time of the message
_TRIES = 3


@dataclass(frozen=True)
class Extent:
    """Sizes and repetitions of the measurements.

    Attributes:
        sizes: number of message sizes, distributed log-uniformly.
        repetitions: number of measurements of each size.
        largest: largest message in bytes.
        seed: seed of the sizes and their order.
        clock: "wall", or "processor" to exclude time in which other programs use the core of a rank.
    """

    sizes: int = 120
    repetitions: int = 10
    largest: int = 4 << 20
    seed: int = 0
    clock: str = "wall"

    def __post_init__(self) -> None:
        if min(self.sizes, self.repetitions) < 1 or self.largest < 1024:
            raise CalibrationError(
                f"{self.sizes} sizes up to {self.largest} bytes with {self.repetitions} repetitions are not valid; "
                "sizes and repetitions must be at least 1, the largest message at least 1024 bytes"
            )

    def plan(self) -> list[tuple[str, int]]:
        """Return (call, message size in bytes) of each measurement, in order; a call is "pingpong", "send", …."""
        import numpy as np

        rng = np.random.default_rng(self.seed)
        drawn = np.exp(rng.uniform(0, math.log(self.largest), max(0, self.sizes - 2)))
        sizes = sorted({1, self.largest, *map(int, drawn)})
        points = [(call, size) for call in MESSAGES for size in sizes for _ in range(self.repetitions)]
        return [points[index] for index in rng.permutation(len(points))]


def peers(names: list[str]) -> dict[str, int]:
    """Return rank 0's partners: a rank on the same host ("intra") and one on another host ("inter"), if any.

    Args:
        names: host name of each rank.

    Raises:
        CalibrationError: if there is only one rank.
    """
    if len(names) < 2:
        raise CalibrationError(
            "messages need two ranks, but there is only one; run 'mpiexec -n 2 pysmpi-calibrate network …'. To measure "
            "messages inside and between hosts in one run, start a rank on the same host and a rank on another host"
        )
    found: dict[str, int] = {}
    for rank in range(1, len(names)):
        found.setdefault("intra" if names[rank] == names[0] else "inter", rank)
    return dict(sorted(found.items()))


def campaign_of(
    world: Any, path: str | os.PathLike[str], extent: Extent, notify: Callable[[str], None]
) -> Table | None:
    """Measure messages, and append the measurements to a file, except those that the file contains already.

    All ranks must call this function.

    Args:
        world: the communicator.
        path: path of the file.
        extent: sizes and repetitions.
        notify: function that prints a message.

    Returns:
        The table at rank 0, None at other ranks.

    Raises:
        CalibrationError: at all ranks, if there is only one rank or the file cannot be continued.
    """
    return plan_of(world, extent, notify).carry_out(path, world)


def plan_of(world: Any, extent: Extent, notify: Callable[[str], None]) -> Plan:
    """Return the plan of the measurements that `campaign_of` makes. All ranks must call this function.

    Raises:
        CalibrationError: at all ranks, if there is only one rank.
    """
    from mpi4py import MPI

    names = world.allgather(MPI.Get_processor_name())
    found = peers(names)

    def measure(campaign: Campaign) -> None:
        for place, other in found.items():
            notify(
                f"{place}: ranks 0 and {other}, on {names[0]}" + (f" and {names[other]}" if place == "inter" else "")
            )
            _measure(world, other, place, campaign, extent)
            dismiss(world, other)
        world.Barrier()

    def follow() -> None:
        while world.rank in found.values() and answer(world, 0, extent.clock):
            pass
        world.Barrier()

    library = MPI.Get_library_version().partition("\n")[0].strip("\0 ")
    facts = {"library": library, "hosts": ", ".join(sorted(set(names)))}
    return Plan("network", COLUMNS, f"{extent}, {' and '.join(found)}", measure, facts, follow)


def _measure(world: Any, other: int, place: str, campaign: Campaign, extent: Extent) -> None:
    """Make all measurements between one pair of ranks."""

    def add(call: str, seconds: float, size: int | None = None, delay: float | None = None) -> None:
        campaign.add({"place": place, "call": call, "bytes": size, "delay": delay, "seconds": seconds})

    def here() -> list[dict[str, Any]]:
        return [row for row in campaign.rows if row["place"] == place]

    def measured() -> list[tuple[str, int | None]]:
        return [(row["call"], row["bytes"]) for row in here()]

    for call, _ in remaining([(call, None) for call in POLLS] * extent.repetitions, measured()):
        add(call, cost_of_calls(world, other, call, extent.clock))
    _warm_up(world, other)

    @cache
    def one_way(size: int) -> float:
        return statistics.median(ask(world, other, "pingpong", size, clock=extent.clock) for _ in range(_TRIES))

    def returns_early(size: int) -> bool:
        """Return whether MPI_Send of this size does not wait for a late receive."""
        delay = max(_LEAST_DELAY, _DELAYS * one_way(size))
        for call, _ in remaining([("late_send", size)] * _TRIES, measured()):
            add(call, ask(world, other, call, size, delay, extent.clock), size, delay)
        trials = [row for row in here() if row["call"] == "late_send" and row["bytes"] == size]
        return first_that_waits(trials) is None

    _search(returns_early, extent.largest)
    waiting = first_that_waits(here())
    # A late receive of a message whose sender waits always takes the time of the transfer, whatever the delay.
    planned = [(call, size) for call, size in extent.plan() if call != "late_recv" or waiting is None or size < waiting]
    left = remaining(planned, measured())
    for call, size in followed(left, f"{place}: messages"):
        delay = max(_LEAST_DELAY, _DELAYS * one_way(size)) if call == "late_recv" else None
        add(call, ask(world, other, call, size, delay or 0.0, extent.clock), size, delay)


def _search(returns_early: Callable[[int], bool], largest: int) -> None:
    """Bisect for the least size whose MPI_Send waits for the receive, so that this size is measured exactly."""
    if returns_early(largest):
        return
    low, high = 0, largest
    if not returns_early(low):
        return
    while high - low > 1:
        middle = (
            (low + high) // 2 if high - low < 1024 else max(low + 1, min(high - 1, round(math.sqrt(low * high) or 32)))
        )
        if returns_early(middle):
            low = middle
        else:
            high = middle


def _warm_up(world: Any, other: int) -> None:
    for size in (1, 1 << 10, 1 << 16, 1 << 20):
        for _ in range(3):
            ask(world, other, "pingpong", size)
