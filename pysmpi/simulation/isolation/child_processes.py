"""Waiting for child processes, as ``multiprocessing`` and its pools do, while the rank's threads and other ranks run.

Child processes are real and do not take part in the simulation. While a rank waits for one, simulated time passes at
the speed of real time. The package ``multiprocess``, which pathos uses, has the same modules as ``multiprocessing``.
"""

import contextlib
import multiprocessing.connection
import multiprocessing.forkserver
import multiprocessing.synchronize
import multiprocessing.util
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from pysmpi.simulation.isolation.child_lifetimes import keep_pace, services, wait_outside
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches, original_of
from pysmpi.simulation.isolation.process import PID_OF_RANK_0

__all__ = ["end_children", "install"]

_SERVICES = ("resource_tracker", "forkserver")  # modules whose processes multiprocessing starts for its own use
_real_getpid, _real_wait = os.getpid, original_of(os.waitpid)
_prologue = ""
_servers: Private[dict[type, Any]] = Private()  # servers of ranks that use the start method forkserver, by class


def install(patches: Patches, prologue: str) -> None:
    """Replace the functions of multiprocessing that wait for data or locks, so that other ranks run meanwhile.

    Args:
        patches: record of the replaced attributes.
        prologue: Python source that a child process runs first if it begins as a new interpreter.
    """
    global _prologue
    _prologue = prologue
    patches.at_undo(_stop_all_servers)
    _change_connections(patches, multiprocessing.connection)
    _change_locks(patches, multiprocessing.synchronize)
    _change_util(patches, multiprocessing.util)
    _change_servers(patches, multiprocessing.forkserver)
    for name in _CHANGES:
        when_loaded(patches, f"multiprocess.{name}", partial(_change, patches, name))


def _change(patches: Patches, name: str) -> None:
    _CHANGES[name](patches, sys.modules[f"multiprocess.{name}"])


def _until(look: Callable[[], Any], timeout: float | None) -> Any:
    """Poll `look` until it returns a true value or the simulated timeout has passed; return its last value."""
    if timeout is not None and timeout <= 0:
        return keep_pace(look)
    return wait_outside(look, -1.0 if timeout is None else timeout)


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


def _change_util(patches: Patches, util: Any) -> None:
    _change_finalisers(patches, util)
    real_spawn = util.spawnv_passfds

    def spawnv_passfds(path: Any, args: Any, passfds: Any) -> Any:
        if running_rank() < 0 or "-c" not in args:
            return real_spawn(path, args, passfds)
        at = args.index("-c") + 1
        program = args[at]
        args = [*args[:at], _prologue + program, *args[at + 1 :]]
        if any(service in program for service in _SERVICES):
            with services():
                return real_spawn(path, args, passfds)
        return real_spawn(path, args, passfds)

    patches.set(util, "spawnv_passfds", spawnv_passfds)


def _change_servers(patches: Patches, forkserver: Any) -> None:
    """Give each rank its own server that forks processes (start method forkserver), as each process has."""
    server = type(forkserver._forkserver)

    def of_rank(name: str) -> Callable[..., Any]:
        real = getattr(forkserver, name)

        def call(*arguments: Any, **named: Any) -> Any:
            if running_rank() < 0:
                return real(*arguments, **named)
            servers = _servers.of_running(dict)
            if server not in servers:
                servers[server] = server()
            return getattr(servers[server], name)(*arguments, **named)

        return call

    for name in ("ensure_running", "get_inherited_fds", "connect_to_new_process", "set_forkserver_preload"):
        patches.set(forkserver, name, of_rank(name))


def _stop_servers(rank: int) -> None:
    for server in _servers.pop(rank, {}).values():
        if server._forkserver_pid is not None:
            os.close(server._forkserver_alive_fd)  # asks the server to stop
            _real_wait(server._forkserver_pid, 0)
            with contextlib.suppress(OSError):
                os.unlink(server._forkserver_address)


def _stop_all_servers() -> None:
    for rank in list(_servers):
        _stop_servers(rank)


def _change_finalisers(patches: Patches, util: Any) -> None:
    """Let multiprocessing's finalisers, such as a pool's, do nothing in ranks, except those that remove semaphores.

    The others would wait for threads of the rank, which have already ended when the rank ends.
    """
    real_call, real_pid = util.Finalize.__call__, _real_getpid()
    before = real_call.__defaults__
    real_call.__defaults__ = (*before[:-1], _real_getpid)  # the last one is os.getpid; finalisers compare process ids

    def call(self: Any, wr: Any = None) -> Any:
        removes = getattr(getattr(self, "_callback", None), "__qualname__", "") == "SemLock._cleanup"
        if removes and self._pid >= PID_OF_RANK_0 and _real_getpid() == real_pid:
            self._pid = real_pid
        return real_call(self, wr)

    patches.at_undo(lambda: setattr(real_call, "__defaults__", before))
    patches.set(util.Finalize, "__call__", call)


_CHANGES = {
    "connection": _change_connections,
    "synchronize": _change_locks,
    "util": _change_util,
    "forkserver": _change_servers,
}


def end_children() -> None:
    """End the running rank's child processes as multiprocessing does at exit: stop daemons, wait for all others."""
    _end_processes()
    _stop_servers(running_rank())


def _end_processes() -> None:
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
