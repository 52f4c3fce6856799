"""Measurement of detours (interruptions by the operating system): all cores at once repeat the same short work."""

import gc
import multiprocessing
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from pysmpi.calibrate.campaign import Campaign
from pysmpi.calibrate.noise.detours import Stretch, detours_in
from pysmpi.calibrate.progress import followed
from pysmpi.calibrate.table import Column

__all__ = ["COLUMNS", "Extent", "measure", "stretch"]

COLUMNS = (
    Column("core", int),
    Column("quanta", int, least=1),
    Column("usual", float),
    Column("threshold", float),
    Column("detours", str),  # lengths in seconds, separated by spaces
)

_ELEMENTS = 4096  # an array of 32 KiB stays in the first cache
_WARM_UP = 1000  # pieces of work before the first that counts


@dataclass(frozen=True)
class Extent:
    """Number and duration of the measurements, and the measured cores.

    Attributes:
        stretches: number of measurements of each core.
        seconds: duration of each measurement.
        cores: numbers of the cores, or empty for all that this process may use.
    """

    stretches: int = 240
    seconds: float = 0.25
    cores: tuple[int, ...] = ()

    def numbers(self) -> tuple[int, ...]:
        """Return `cores` if given, else the numbers of all cores that this process may use."""
        return self.cores or tuple(sorted(os.sched_getaffinity(0)))


def measure(campaign: Campaign, extent: Extent) -> None:
    """Measure all cores at once, as often as planned, except stretches that the campaign's table already contains."""
    cores = extent.numbers()
    done = Counter(row["core"] for row in campaign.rows)
    left = range(min(done[core] for core in cores), extent.stretches)
    with ProcessPoolExecutor(len(cores), multiprocessing.get_context("spawn")) as processes:
        list(processes.map(stretch, cores, [0.01] * len(cores)))  # returns when all processes have started
        for number in followed(left, "stretches", extent.stretches - len(left)):
            behind = [core for core in cores if done[core] <= number]
            found = processes.map(stretch, behind, [extent.seconds] * len(behind))
            for core, (quanta, usual, threshold, lengths) in zip(behind, found, strict=True):
                texts = " ".join(f"{length:.4g}" for length in lengths)
                campaign.add({"core": core, "quanta": quanta, "usual": usual, "threshold": threshold, "detours": texts})


def stretch(core: int, seconds: float) -> Stretch:
    """Repeat the same work on one core for about this many seconds; return the detours."""
    os.sched_setaffinity(0, {core})
    work, clock = np.sqrt, time.perf_counter_ns
    operand, result = np.full(_ELEMENTS, 2.0), np.empty(_ELEMENTS)
    collects = gc.isenabled()
    gc.disable()
    try:
        begun = clock()
        for _ in range(_WARM_UP):
            work(operand, result)
        number = max(_WARM_UP, int(seconds * 1e9 * _WARM_UP / (clock() - begun)))
        stamps = np.empty(number + 1, np.int64)
        stamps[0] = clock()
        for i in range(1, number + 1):
            work(operand, result)
            stamps[i] = clock()
    finally:
        if collects:
            gc.enable()
    return detours_in(np.diff(stamps) * 1e-9)
