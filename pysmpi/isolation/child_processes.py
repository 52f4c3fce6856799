"""Waiting for child processes, as ``multiprocessing`` and its pools do, while the rank's threads and other ranks run.

Child processes are real and do not take part in the simulation. While a rank waits for one, simulated time passes at
the speed of real time.
"""

import multiprocessing.connection
import multiprocessing.popen_fork
import multiprocessing.process
import multiprocessing.synchronize
import os
import time
from collections.abc import Callable
from typing import Any

from pysmpi.isolation.current import running_rank
from pysmpi.isolation.patching import Patches
from pysmpi.isolation.stopping import RankStopped
from pysmpi.native import lib

__all__ = ["end_children", "install"]

_PAUSE = 5e-4  # seconds between polls


def install(patches: Patches) -> None:
    """Replace the waiting functions of multiprocessing for ranks. Call this before the clocks are replaced."""
    real_sleep = time.sleep

    def pause() -> None:
        going = lib.pysmpi_account_computation() == 0
        real_sleep(_PAUSE)
        lib.pysmpi_leave_call()
        if not going or lib.pysmpi_sleep(_PAUSE) != 0:
            raise RankStopped

    def until(look: Callable[[], Any], timeout: float | None) -> Any:
        """Poll `look` until it returns a true value or the simulated timeout has passed; return its last value."""
        end = None if timeout is None else lib.pysmpi_now() + timeout
        while not (found := look()) and (end is None or lib.pysmpi_now() < end):
            pause()
        return found

    connection = multiprocessing.connection
    real_wait, real_receive = connection.wait, connection.Connection._recv_bytes  # type: ignore[attr-defined]

    def wait(object_list: Any, timeout: float | None = None) -> Any:
        if running_rank() < 0:
            return real_wait(object_list, timeout)
        objects = list(object_list)
        return until(lambda: real_wait(objects, 0), timeout)

    def receive(self: Any, maxsize: int | None = None) -> Any:
        if running_rank() >= 0:
            wait([self])
        return real_receive(self, maxsize)

    patches.set(connection, "wait", wait)
    patches.set(connection.Connection, "_recv_bytes", receive)

    child = multiprocessing.popen_fork.Popen
    real_wait_for = child.wait

    def wait_for(self: Any, timeout: float | None = None) -> Any:
        if running_rank() < 0 or self.returncode is not None:
            return real_wait_for(self, timeout)
        until(lambda: self.poll(os.WNOHANG) is not None, timeout)
        return self.returncode

    patches.set(child, "wait", wait_for)

    lock = multiprocessing.synchronize.SemLock
    real_make = lock._make_methods  # type: ignore[attr-defined]

    def make_methods(self: Any) -> None:
        real_make(self)
        real_acquire = self.acquire

        def acquire(block: bool = True, timeout: float | None = None) -> bool:
            if running_rank() < 0 or not block:
                return bool(real_acquire(block, timeout))
            return bool(until(lambda: real_acquire(False), timeout))

        self.acquire = acquire

    patches.set(lock, "_make_methods", make_methods)
    patches.set(lock, "__enter__", lambda self: self.acquire())


def end_children() -> None:
    """End the running rank's child processes as multiprocessing does at exit: stop daemons, wait for all others."""
    if not multiprocessing.process._children:  # type: ignore[attr-defined]
        return
    me = os.getpid()
    mine = [each for each in multiprocessing.active_children() if each._parent_pid == me]  # type: ignore[attr-defined]
    for child in mine:
        if child.daemon:
            child.terminate()
    for child in mine:
        child.join()
