"""Waiting for child processes, as ``multiprocessing`` and its pools do, while the rank's threads and other ranks run.

Child processes are real and do not take part in the simulation. While a rank waits for one, simulated time passes at
the speed of real time. The package ``multiprocess``, which pathos uses, has the same modules as ``multiprocessing``.
"""

import multiprocessing.connection
import multiprocessing.popen_fork
import multiprocessing.synchronize
import multiprocessing.util
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pysmpi.isolation.current import running_rank
from pysmpi.isolation.modules import when_loaded
from pysmpi.isolation.patching import Patches
from pysmpi.isolation.stopping import RankStopped
from pysmpi.native import lib

__all__ = ["end_children", "install"]

_PAUSE = 5e-4  # seconds between polls
_real_sleep, _real_getpid = time.sleep, os.getpid


def install(patches: Patches) -> None:
    """Replace the functions of multiprocessing that wait for data, processes or locks, so that other ranks run
    meanwhile."""
    _change_connections(patches, multiprocessing.connection)
    _change_processes(patches, multiprocessing.popen_fork)
    _change_locks(patches, multiprocessing.synchronize)
    _change_finalisers(patches, multiprocessing.util)
    for name in _CHANGES:
        when_loaded(patches, f"multiprocess.{name}", partial(_change, patches, name))


def _change(patches: Patches, name: str) -> None:
    _CHANGES[name](patches, sys.modules[f"multiprocess.{name}"])


def _pause() -> None:
    going = lib.pysmpi_account_computation() == 0
    _real_sleep(_PAUSE)
    lib.pysmpi_leave_call()
    if not going or lib.pysmpi_sleep(_PAUSE) != 0:
        raise RankStopped


def _until(look: Callable[[], Any], timeout: float | None) -> Any:
    """Poll `look` until it returns a true value or the simulated timeout has passed; return its last value."""
    end = None if timeout is None else lib.pysmpi_now() + timeout
    while not (found := look()) and (end is None or lib.pysmpi_now() < end):
        _pause()
    return found


def _change_connections(patches: Patches, connection: Any) -> None:
    real_wait, real_receive = connection.wait, connection.Connection._recv_bytes

    def wait(object_list: Any, timeout: float | None = None) -> Any:
        if running_rank() < 0:
            return real_wait(object_list, timeout)
        objects = list(object_list)
        return _until(lambda: real_wait(objects, 0), timeout)

    def receive(self: Any, maxsize: int | None = None) -> Any:
        if running_rank() >= 0:
            wait([self])
        return real_receive(self, maxsize)

    patches.set(connection, "wait", wait)
    patches.set(connection.Connection, "_recv_bytes", receive)


def _change_processes(patches: Patches, popen_fork: Any) -> None:
    real_wait_for = popen_fork.Popen.wait

    def wait_for(self: Any, timeout: float | None = None) -> Any:
        if running_rank() < 0 or self.returncode is not None:
            return real_wait_for(self, timeout)
        _until(lambda: self.poll(os.WNOHANG) is not None, timeout)
        return self.returncode

    patches.set(popen_fork.Popen, "wait", wait_for)


def _change_locks(patches: Patches, synchronize: Any) -> None:
    real_make = synchronize.SemLock._make_methods

    def make_methods(self: Any) -> None:
        real_make(self)
        real_acquire = self.acquire

        def acquire(block: bool = True, timeout: float | None = None) -> bool:
            if running_rank() < 0 or not block:
                return bool(real_acquire(block, timeout))
            return bool(_until(lambda: real_acquire(False), timeout))

        self.acquire = acquire

    patches.set(synchronize.SemLock, "_make_methods", make_methods)
    patches.set(synchronize.SemLock, "__enter__", lambda self: self.acquire())


def _change_finalisers(patches: Patches, util: Any) -> None:
    """Let multiprocessing's finalisers, such as a pool's, do nothing in ranks.

    They would wait for threads of the rank, which have already ended when the rank ends.
    """
    call = util.Finalize.__call__
    before = call.__defaults__
    call.__defaults__ = (*before[:-1], _real_getpid)  # the last argument is os.getpid; a finaliser compares process ids
    patches.at_undo(lambda: setattr(call, "__defaults__", before))


_CHANGES = {
    "connection": _change_connections,
    "popen_fork": _change_processes,
    "synchronize": _change_locks,
    "util": _change_finalisers,
}


def end_children() -> None:
    """End the running rank's child processes as multiprocessing does at exit: stop daemons, wait for all others."""
    for package in ("multiprocessing", "multiprocess"):
        process: Any = sys.modules.get(f"{package}.process")
        if process is not None and process._children:
            _end_children(process)


def _end_children(process: Any) -> None:
    me = os.getpid()
    mine = [each for each in process.active_children() if each._parent_pid == me]
    for child in mine:
        if child.daemon:
            child.terminate()
    for child in mine:
        child.join()
