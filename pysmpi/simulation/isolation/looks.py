"""Loops in which a thread polls a state that another thread changes: ``while not done: with lock: pass``.

The operating system preempts such a thread; here, the thread itself must let other threads run. It does so only if it
polls often in a row, so that the usual use of locks (logging, queues) does not change the order in which threads run.
"""

import threading

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.stopping import RankStopped

__all__ = ["look", "started"]

_FIRST, _NEXT = 1000, 50  # polls in a row before a thread first lets others run, and before each later time

started: Private[dict[int, threading.Thread]] = Private()  # unfinished threads that ranks have started, by number
_looks = 0  # polls of the running thread since the last switch to it, switches caused by `look` left out
_switches = 0  # number of switches between threads at the last poll


def look() -> None:
    """Record that the running thread polls a state that another thread may change; let other threads run if it polls
    often in a row.

    A thread that goes on polling for long is blocked until the next event of the simulation (`pysmpi_give_way`), so
    that simulated time passes for the other threads. Ranks with a single thread are not affected.

    Raises:
        RankStopped: the rank is being stopped.
    """
    global _looks, _switches
    if not started.get(running_rank(depends=False)):
        return
    switches = lib.pysmpi_switch_count()
    if switches != _switches:
        _looks, _switches = 0, switches
    _looks += 1
    if _looks < _FIRST or _looks % _NEXT:
        return
    looks = _looks
    if lib.pysmpi_give_way() != 0:
        raise RankStopped
    _looks, _switches = looks, lib.pysmpi_switch_count()
