"""``time.*`` in ranks: functions read and advance the simulated clock, which begins at 0.

Reading a clock takes the time ``smpi/wtime``, as MPI_Wtime does, so that a loop that waits for a certain time ends.
A sleep of zero seconds lets other threads and ranks run.
"""

import os
import time
from collections.abc import Callable
from typing import Any

from pysmpi.isolation.current import running_rank
from pysmpi.isolation.interval_timers import deliver, next_date
from pysmpi.isolation.patching import Patches
from pysmpi.isolation.stopping import RankStopped
from pysmpi.native import lib

__all__ = ["install"]

_CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_DATES = ("localtime", "gmtime", "ctime")


def install(patches: Patches) -> None:
    """Replace the functions of the module time by functions on the simulated clock."""
    read_clock = lib.pysmpi_read_clock

    def read() -> float:
        now: float = read_clock()
        if now < 0:
            raise RankStopped
        deliver()
        return now

    def in_seconds(original: Callable[[], float]) -> Callable[[], float]:
        return lambda: original() if running_rank() < 0 else read()

    def in_nanoseconds(original: Callable[[], int]) -> Callable[[], int]:
        return lambda: original() if running_rank() < 0 else round(read() * 1e9)

    for name in _CLOCKS:
        patches.set(time, name, in_seconds(getattr(time, name)))
        patches.set(time, f"{name}_ns", in_nanoseconds(getattr(time, f"{name}_ns")))

    def dating(original: Callable[..., Any]) -> Callable[..., Any]:
        def date(seconds: float | None = None) -> Any:
            return original(time.time() if seconds is None and running_rank() >= 0 else seconds)

        return date

    for name in _DATES:
        patches.set(time, name, dating(getattr(time, name)))

    def formatting(original: Callable[..., str], position: int) -> Callable[..., str]:
        def text(*arguments: Any) -> str:
            if len(arguments) == position and running_rank() >= 0:
                arguments = (*arguments, time.localtime())
            return original(*arguments)

        return text

    patches.set(time, "strftime", formatting(time.strftime, 1))
    patches.set(time, "asctime", formatting(time.asctime, 0))

    real_sleep = time.sleep

    def sleep(seconds: float) -> None:
        if running_rank() < 0:
            real_sleep(seconds)
            return
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        left = round(seconds, 9)  # nanosleep(2) takes whole nanoseconds
        while (rings_in := next_date() - lib.pysmpi_now()) < left:
            _check(lib.pysmpi_sleep(max(rings_in, 0.0)))
            left -= max(rings_in, 0.0)
            deliver()
        _check(lib.pysmpi_sleep(left))

    patches.set(time, "sleep", sleep)
    if hasattr(os, "sched_yield"):
        real_yield = os.sched_yield
        patches.set(os, "sched_yield", lambda: real_yield() if running_rank() < 0 else sleep(0))


def _check(status: int) -> None:
    if status != 0:
        raise RankStopped
