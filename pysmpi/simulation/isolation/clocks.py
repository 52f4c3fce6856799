"""Clocks of the standard library in ranks: functions read and advance the simulated clock, which begins at 0.

Reading a clock takes the time ``smpi/wtime``, as MPI_Wtime does, so that a loop that waits for a certain time ends.
A sleep of zero seconds lets other threads and ranks run. All clocks of the operating system (``time.CLOCK_…``) show the
same time; the processor time of a rank is the time since its start.
"""

import datetime
import logging
import os
import resource
import time
from collections.abc import Callable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import timed_rank
from pysmpi.simulation.isolation.interval_timers import deliver, next_date
from pysmpi.simulation.isolation.patching import Patches, original_of
from pysmpi.simulation.isolation.stopping import RankStopped

__all__ = ["install"]

_CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_DATES = ("localtime", "gmtime", "ctime")


def install(patches: Patches) -> None:
    """Replace the functions of the standard library that read clocks, by functions on the simulated clock."""
    _install_clocks(patches)
    _install_dates(patches)
    _install_times_of_process(patches)
    _install_sleeps(patches)
    started = "_startTime"  # time at which logging was imported; records contain the time since
    patches.set(logging, started, type(getattr(logging, started))(0))


def _read() -> float:
    now: float = lib.pysmpi_read_clock()
    if now < 0:
        raise RankStopped
    deliver()
    return now


def _install_clocks(patches: Patches) -> None:
    def in_seconds(original: Callable[[], float]) -> Callable[[], float]:
        return lambda: original() if timed_rank() < 0 else _read()

    def in_nanoseconds(original: Callable[[], int]) -> Callable[[], int]:
        return lambda: original() if timed_rank() < 0 else round(_read() * 1e9)

    for name in _CLOCKS:
        for builtin, replaced in ((name, in_seconds), (f"{name}_ns", in_nanoseconds)):
            patches.set_builtin(vars(time)[builtin], replaced(original_of(vars(time)[builtin])))

    def get_time(original: Callable[[int], Any], read: Callable[[], Any]) -> Callable[[int], Any]:
        def clock_gettime(clk_id: int, /) -> Any:
            real = original(clk_id)  # checks the number of the clock
            return real if timed_rank() < 0 else read()

        return clock_gettime

    def set_time(original: Callable[..., None]) -> Callable[..., None]:
        def clock_settime(*arguments: Any) -> None:
            if timed_rank() >= 0:
                raise PermissionError(1, "the simulated clock cannot be set; it begins at 0 and follows the simulation")
            original(*arguments)

        return clock_settime

    def as_nanoseconds() -> int:
        return round(_read() * 1e9)

    for function, read in (("clock_gettime", _read), ("clock_gettime_ns", as_nanoseconds)):
        patches.set_builtin(vars(time)[function], get_time(original_of(vars(time)[function]), read))
    for function in ("clock_settime", "clock_settime_ns"):
        patches.set_builtin(vars(time)[function], set_time(original_of(vars(time)[function])))


def _install_dates(patches: Patches) -> None:
    def dating(original: Callable[..., Any]) -> Callable[..., Any]:
        def date(seconds: float | None = None, /) -> Any:
            return original(_read() if seconds is None and timed_rank() >= 0 else seconds)

        return date

    for name in _DATES:
        patches.set_builtin(vars(time)[name], dating(original_of(vars(time)[name])))

    def formatting(original: Callable[..., str], position: int) -> Callable[..., str]:
        def text(*arguments: Any) -> str:
            if len(arguments) == position and timed_rank() >= 0:
                arguments = (*arguments, time.localtime())
            return original(*arguments)

        return text

    patches.set_builtin(time.strftime, formatting(original_of(time.strftime), 1))
    patches.set_builtin(time.asctime, formatting(original_of(time.asctime), 0))

    # Methods of classes that derive from datetime, such as those of pandas and pendulum, call these two methods.
    methods = vars(datetime.datetime)
    make = methods["fromtimestamp"]
    real_now, real_utcnow = original_of(methods["now"]), original_of(methods["utcnow"])

    def now(cls: type, /, tz: Any = None) -> Any:
        return real_now.__get__(None, cls)(tz) if timed_rank() < 0 else make.__get__(None, cls)(_read(), tz)

    def utcnow(cls: type, /) -> Any:
        return real_utcnow.__get__(None, cls)() if timed_rank() < 0 else now(cls, datetime.UTC).replace(tzinfo=None)

    patches.set_builtin(methods["now"], now)
    patches.set_builtin(methods["utcnow"], utcnow)


def _install_times_of_process(patches: Patches) -> None:
    real_times, real_usage = original_of(os.times), original_of(resource.getrusage)

    def times() -> os.times_result:
        real: os.times_result = real_times()
        if timed_rank() < 0:
            return real
        seconds = _read()
        return os.times_result((seconds, 0.0, real.children_user, real.children_system, seconds))

    def getrusage(who: int, /) -> resource.struct_rusage:
        real: resource.struct_rusage = real_usage(who)
        if timed_rank() < 0 or who == resource.RUSAGE_CHILDREN:
            return real
        return resource.struct_rusage((_read(), 0.0, *real[2:]))

    patches.set_builtin(os.times, times)
    patches.set_builtin(resource.getrusage, getrusage)


def _install_sleeps(patches: Patches) -> None:
    real_sleep = original_of(time.sleep)

    def sleep(seconds: float, /) -> None:
        if timed_rank() < 0:
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

    patches.set_builtin(time.sleep, sleep)
    if hasattr(os, "sched_yield"):
        real_yield = original_of(os.sched_yield)
        patches.set_builtin(os.sched_yield, lambda: real_yield() if timed_rank() < 0 else sleep(0))


def _check(status: int) -> None:
    if status != 0:
        raise RankStopped
