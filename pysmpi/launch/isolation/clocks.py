"""``time.*`` inside ranks: it reads and advances the simulated clock, which begins at 0.

Reading a clock takes ``smpi/wtime``, as MPI_Wtime does, so that a loop that waits for a time to come ends.
"""

import time
from collections.abc import Callable
from typing import Any

from pysmpi.launch.isolation.current import running_rank
from pysmpi.launch.isolation.patching import Patches
from pysmpi.launch.stopping import RankStopped
from pysmpi.native import lib

__all__ = ["install"]

_CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_DATES = ("localtime", "gmtime", "ctime")


def install(patches: Patches, cost_of_reading: float) -> None:
    """Makes the functions of the time module those of the running rank.

    Args:
        patches: what was there before.
        cost_of_reading: seconds that reading a clock takes (``smpi/wtime``).
    """

    def read() -> float:
        _check(lib.pysmpi_account_computation())
        now: float = lib.pysmpi_now()
        if cost_of_reading > 0:
            _check(lib.pysmpi_sleep(cost_of_reading))
        lib.pysmpi_leave_call()
        return now

    def reading(original: Callable[[], Any], scale: float | None) -> Callable[[], Any]:
        def clock() -> Any:
            if running_rank() < 0:
                return original()
            return read() if scale is None else round(read() * scale)

        return clock

    for name in _CLOCKS:
        patches.set(time, name, reading(getattr(time, name), None))
        patches.set(time, f"{name}_ns", reading(getattr(time, f"{name}_ns"), 1e9))

    def dating(original: Callable[..., Any]) -> Callable[..., Any]:
        def date(seconds: float | None = None) -> Any:
            if seconds is None and running_rank() >= 0:
                seconds = read()
            return original(seconds)

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
        _check(lib.pysmpi_account_computation())
        _check(lib.pysmpi_sleep(round(seconds, 9)))  # whole nanoseconds, as nanosleep(2) takes them
        lib.pysmpi_leave_call()

    patches.set(time, "sleep", sleep)


def _check(status: int) -> None:
    if status != 0:
        raise RankStopped
