"""Measurement of one host's power in watts while none, one or more of its cores multiply matrices."""

import multiprocessing
import os
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.synchronize import Event

from pysmpi.calibrate.campaign import Campaign
from pysmpi.calibrate.power.rapl import Counters
from pysmpi.calibrate.progress import followed
from pysmpi.calibrate.table import Column

__all__ = ["COLUMNS", "Extent", "measure"]

COLUMNS = (Column("cores", int), Column("watts", float))

_SETTLING = 1.0  # seconds until clock rates and counters follow a new load


@dataclass(frozen=True)
class Extent:
    """Loads, repetitions and duration of the measurements.

    Attributes:
        repetitions: number of measurements for each number of cores, one after another.
        seconds: duration of each measurement.
        cores: numbers of busy cores (0 means idle), or empty for 0, 1, half of them and all.
    """

    repetitions: int = 10
    seconds: float = 2.0
    cores: tuple[int, ...] = ()

    def numbers_of_cores(self) -> tuple[int, ...]:
        """Return `cores` if given, else 0, 1, half and all of the cores that this process may use."""
        every = len(os.sched_getaffinity(0))
        return self.cores or tuple(sorted({0, 1, every // 2, every}))


def measure(campaign: Campaign, extent: Extent, counters: Counters) -> None:
    """Measure the watts at each number of busy cores, except values that the campaign's table already contains."""
    done = Counter(row["cores"] for row in campaign.rows)
    for cores in followed([each for each in extent.numbers_of_cores() if done[each] < extent.repetitions], "loads"):
        stop = multiprocessing.get_context("spawn").Event()
        working = [multiprocessing.get_context("spawn").Process(target=_work, args=(stop,)) for _ in range(cores)]
        for process in working:
            process.start()
        try:
            time.sleep(_SETTLING)
            for _ in range(extent.repetitions - done[cores]):
                before, start = counters.read(), time.perf_counter()
                time.sleep(extent.seconds)
                after, taken = counters.read(), time.perf_counter() - start
                campaign.add({"cores": cores, "watts": counters.between(before, after) / taken})
        finally:
            stop.set()
            for process in working:
                process.join()


def _work(stop: Event) -> None:
    import numpy as np

    matrix = np.random.default_rng(0).random((256, 256))
    result = np.empty_like(matrix)
    while not stop.is_set():
        np.matmul(matrix, matrix, out=result)
