"""Waiting for the world outside the simulation: child processes, pipes and sockets.

While a rank waits for them, its other threads and other ranks run, and simulated time passes at the speed of real time.
The deadlock report does not notice a rank that waits forever.
"""

from collections.abc import Callable
from typing import TypeVar

from pysmpi.native import lib
from pysmpi.simulation.isolation.locks import wait_until_woken

__all__ = ["poll_outside"]

T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 1e-6, 1e-3  # seconds between the first polls, and the limit to which pauses double
_MOST_AT_ONCE = 1e-2  # real seconds between two polls that count as waiting at most; other ranks compute in the rest
_LEAST_PAUSE = 1e-9  # seconds, the resolution of clocks; the wait ends if less than this is left


def poll_outside(look: Callable[[], T], timeout: float, *, catch_up: bool = False) -> T:
    """Call `look` repeatedly until it returns a true value or the timeout has passed; return its last value.

    Args:
        look: function that checks without waiting whether something outside the simulation is ready.
        timeout: longest wait in simulated seconds; negative to wait without limit.
        catch_up: whether the real time in which other ranks run also counts as simulated time. Pass False if the rank
            may wait for another rank, such as at a socket.

    Raises:
        RankStopped: the rank is being stopped.
    """
    if (found := look()) or timeout == 0:
        return found
    begun, really_begun = lib.pysmpi_now(), lib.pysmpi_real_time()
    end = begun + timeout
    pause = _FIRST_PAUSE
    while not (found := look()):
        left = end - lib.pysmpi_now() if timeout >= 0 else _MOST_AT_ONCE
        if left < _LEAST_PAUSE:
            break
        pause = min(pause, left)
        lib.pysmpi_account_computation()
        ahead = lib.pysmpi_now() + pause - begun - (lib.pysmpi_real_time() - really_begun)
        lib.pysmpi_rest(ahead)  # other ranks that poll at the same time may have slept already
        lib.pysmpi_leave_call()  # the pause is no computation
        step = pause
        if catch_up:
            behind = min(-ahead, _MOST_AT_ONCE)
            step = min(max(pause, behind), max(left, pause))
        wait_until_woken(step)
        pause = min(2 * pause, _LONGEST_PAUSE)
    return found
