"""Interval timers of ranks: ``signal.setitimer`` and ``signal.alarm`` on the simulated clock.

A timer rings when its rank runs and the rank's simulated time has reached the timer's date: after a blocking MPI call,
when the rank reads a clock, or in a sleep, which continues afterwards unless the handler raises an exception. The
simulated time of a computation is only known at the next of these moments. So that a long computation does not delay
the signal, a real timer interrupts the computing rank and makes it read its clock.
"""

import math
import signal
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import FrameType
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["awaited_signals", "deliver", "handler_before", "install", "next_date", "take_signal"]

_SIGNALS: dict[int, signal.Signals] = {
    signal.ITIMER_REAL: signal.SIGALRM,
    signal.ITIMER_VIRTUAL: signal.SIGVTALRM,
    signal.ITIMER_PROF: signal.SIGPROF,
}
# Shortest and longest time in seconds after which a real timer makes a computing rank read its clock again.
_SHORTEST, _LONGEST = 1e-3, 0.1


@dataclass(slots=True)
class _Timer:
    """Timer of a rank.

    Attributes:
        date: simulated time in seconds at which it rings next.
        interval: seconds between its later rings, or 0 if it rings once.
    """

    date: float
    interval: float


_handler_before: Any = signal.SIG_DFL  # handler of SIGALRM outside ranks
_timers: Private[dict[int, _Timer]] = Private()  # timers of ranks that have set one, by kind (signal.ITIMER_…)

awaited_signals: Private[Collection[int]] = Private()  # signals for which ranks wait; no handler is called for these


def handler_before() -> Any:
    """Return the handler of SIGALRM that was set before the simulation; ranks begin with this handler."""
    return _handler_before


def next_date() -> float:
    """Return the simulated time at which the next timer of the running rank rings, or infinity if no timer is set."""
    return min((timer.date for timer in _timers.get(running_rank(), {}).values()), default=math.inf)


def deliver() -> None:
    """Call the handlers of those timers of the running rank that have expired."""
    if not _timers:  # the usual case
        return
    mine = _timers.get(running_rank(), {})
    for kind, timer in list(mine.items()):
        if timer.date > lib.pysmpi_now() or _SIGNALS[kind] in awaited_signals.get(running_rank(), ()):
            continue
        _advance(kind, timer)
        signal.raise_signal(_SIGNALS[kind])


def take_signal(awaited: Collection[int]) -> signal.Signals | None:
    """Return the signal of an expired timer of the running rank if it is one of the awaited signals, else None.

    The timer then counts as delivered; no handler is called.
    """
    for kind, timer in list(_timers.get(running_rank(), {}).items()):
        if _SIGNALS[kind] in awaited and timer.date <= lib.pysmpi_now():
            _advance(kind, timer)
            return _SIGNALS[kind]
    return None


def _advance(kind: int, timer: _Timer) -> None:
    """Set the time at which an expired timer rings next, or remove the timer if it rings once."""
    now = lib.pysmpi_now()
    if timer.interval > 0:
        timer.date += timer.interval * math.ceil((now - timer.date) / timer.interval or 1)
    else:
        del _timers[running_rank()][kind]
    lib.pysmpi_signal_at(next_date())


def install(patches: Patches) -> None:
    """Replace the functions of the signal module that set timers.

    Call this before `signal.signal` is replaced, because it sets a real handler of SIGALRM.
    """
    ring_later: Callable[..., Any] = signal.setitimer
    if threading.current_thread() is threading.main_thread():
        _interrupt_computation(patches, ring_later)
    else:
        ring_later = _ring_never

    def setitimer(which: int, seconds: float, interval: float = 0.0, /) -> tuple[float, float]:
        if running_rank() < 0:
            return signal_setitimer(which, seconds, interval)
        if which not in _SIGNALS or seconds < 0 or interval < 0:
            raise signal.ItimerError(22, "Invalid argument")
        before = getitimer(which)
        mine = _timers.of_running(dict)
        mine.pop(which, None)
        if seconds > 0:
            mine[which] = _Timer(lib.pysmpi_now() + seconds, float(interval))
            ring_later(signal.ITIMER_REAL, max(min(seconds, _LONGEST), _SHORTEST))
        lib.pysmpi_signal_at(next_date())
        return before

    def getitimer(which: int, /) -> tuple[float, float]:
        if running_rank() < 0:
            return signal_getitimer(which)
        timer = _timers.get(running_rank(), {}).get(which)
        return (0.0, 0.0) if timer is None else (max(timer.date - lib.pysmpi_now(), 0.0), timer.interval)

    def alarm(seconds: int, /) -> int:
        if running_rank() < 0:
            return signal_alarm(seconds)
        return math.ceil(setitimer(signal.ITIMER_REAL, seconds)[0])

    signal_setitimer, signal_getitimer, signal_alarm = signal.setitimer, signal.getitimer, signal.alarm
    patches.set(signal, "setitimer", setitimer)
    patches.set(signal, "getitimer", getitimer)
    patches.set(signal, "alarm", alarm)
    lib.pysmpi_set_signal_function(ffi.cast("void *", id(deliver)))


def _ring_never(_which: int, _seconds: float) -> None:
    """Set no real timer, because Python handles signals only in the main thread, and the simulation runs in another
    one."""


def _interrupt_computation(patches: Patches, ring_later: Callable[..., Any]) -> None:
    def look(_number: int, _frame: FrameType | None) -> None:
        date = next_date()
        if date < math.inf:
            lib.pysmpi_account_computation()
            lib.pysmpi_leave_call()
            deliver()
        if any(_timers.values()):
            ring_later(signal.ITIMER_REAL, max(min(next_date() - lib.pysmpi_now(), _LONGEST), _SHORTEST))

    global _handler_before
    _handler_before = signal.signal(signal.SIGALRM, look)
    patches.at_undo(lambda: _restore(ring_later))


def _restore(ring_later: Callable[..., Any]) -> None:
    ring_later(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, _handler_before)
