"""Waits for signals in ranks: ``signal.pause``, ``sigwait``, ``sigtimedwait`` and ``sigwaitinfo``.

The signals of a rank's own timers arrive at their simulated times. Other signals come from outside the simulation:
while a rank waits for them, simulated time passes at the speed of real time.
"""

import math
import signal
import sys
from collections.abc import Iterable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.child_lifetimes import wait_outside
from pysmpi.simulation.isolation.current import running_rank
from pysmpi.simulation.isolation.interval_timers import awaited_signals, deliver, next_date, take_signal
from pysmpi.simulation.isolation.locks import wait_until_woken
from pysmpi.simulation.isolation.patching import Patches, original_of

__all__ = ["install"]

_real_timed_wait = original_of(signal.sigtimedwait)


def install(patches: Patches) -> None:
    """Replace the functions of the module signal that wait for signals."""
    real_pause = original_of(signal.pause)
    wait_in_c = vars(sys.modules["_signal"])["sigwait"]  # the function that signal.sigwait calls
    real_wait, real_wait_info = original_of(wait_in_c), original_of(signal.sigwaitinfo)

    def pause() -> None:
        if running_rank() < 0 or next_date() == math.inf:
            real_pause()
            return
        wait_until_woken(max(next_date() - lib.pysmpi_now(), 0.0))
        deliver()

    def sigtimedwait(sigset: Iterable[int], timeout: float, /) -> Any:
        if running_rank() < 0 or timeout < 0:
            return _real_timed_wait(sigset, timeout)
        return _wait(set(sigset), timeout)

    def sigwaitinfo(sigset: Iterable[int], /) -> Any:
        return real_wait_info(sigset) if running_rank() < 0 else _wait(set(sigset), math.inf)

    def sigwait(sigset: Iterable[int], /) -> Any:
        return real_wait(sigset) if running_rank() < 0 else _wait(set(sigset), math.inf).si_signo

    patches.set_builtin(signal.pause, pause)
    patches.set_builtin(signal.sigtimedwait, sigtimedwait)
    patches.set_builtin(signal.sigwaitinfo, sigwaitinfo)
    patches.set_builtin(wait_in_c, sigwait)


def _wait(awaited: set[int], timeout: float) -> Any:
    """Return information on the first awaited signal, or None after `timeout` simulated seconds."""
    awaited_signals[running_rank()] = awaited
    try:
        return _first(awaited, lib.pysmpi_now() + timeout)
    finally:
        del awaited_signals[running_rank()]


def _first(awaited: set[int], end: float) -> Any:
    while True:
        own = take_signal(awaited)
        if own is not None:
            return signal.struct_siginfo((int(own), 0, 0, 0, 0, 0, 0))
        deliver()  # for timers whose signals are not awaited
        left = end - lib.pysmpi_now()
        if next_date() == math.inf:
            return wait_outside(lambda: _real_timed_wait(awaited, 0), -1.0 if left == math.inf else max(left, 0.0))
        found = _real_timed_wait(awaited, 0)
        if found is not None or left <= 0:
            return found
        wait_until_woken(max(min(left, next_date() - lib.pysmpi_now()), 0.0))
