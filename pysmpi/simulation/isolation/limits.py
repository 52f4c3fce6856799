"""Settings that exist once in a process: file mode mask, recursion limit, default timeout of sockets, and the files
behind the descriptors 0, 1 and 2."""

import os
import socket
import sys
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

# Default timeouts of ranks that have set one: seconds, or None for no limit.
_timeouts: Private[float | None] = Private()


def install(patches: Patches) -> None:
    """Give each rank its own file mode mask, recursion limit, socket timeout and standard descriptors.

    The timeout of sockets is kept in Python; the other settings are exchanged by the engine when another rank runs.
    """
    _install_mask(patches)
    _install_standard_descriptors(patches)
    _install_recursion_limit(patches)
    _install_timeout(patches)


def _install_mask(patches: Patches) -> None:
    set_mask = os.umask

    def umask(mask: int, /) -> int:
        before = set_mask(mask)
        if running_rank() >= 0:
            lib.pysmpi_isolate_mask(before, mask & 0o777)
        return before

    patches.set(os, "umask", umask)


def _install_standard_descriptors(patches: Patches) -> None:
    duplicate = os.dup2

    def dup2(fd: int, fd2: int, inheritable: bool = True) -> int:
        if running_rank() < 0 or fd2 not in (0, 1, 2):
            return duplicate(fd, fd2, inheritable)
        for stream in (sys.__stdout__, sys.__stderr__):  # their buffers may contain lines of other ranks
            if stream is not None:
                stream.flush()
        before = os.dup(fd2)
        duplicate(fd, fd2, inheritable)
        lib.pysmpi_isolate_stream(fd2, before)
        return fd2

    patches.set(os, "dup2", dup2)


def _install_recursion_limit(patches: Patches) -> None:
    set_limit = sys.setrecursionlimit

    def setrecursionlimit(limit: int, /) -> None:
        before = sys.getrecursionlimit()
        set_limit(limit)
        if running_rank() >= 0:
            lib.pysmpi_isolate_recursion_limit(before, limit)

    patches.set(sys, "setrecursionlimit", setrecursionlimit)


def _install_timeout(patches: Patches) -> None:
    set_timeout, get_timeout, make = socket.setdefaulttimeout, socket.getdefaulttimeout, socket.socket.__init__

    def setdefaulttimeout(timeout: float | None, /) -> None:
        rank = running_rank()
        if rank < 0:
            set_timeout(timeout)
            return
        before = get_timeout()
        set_timeout(timeout)  # checks the value
        _timeouts[rank] = get_timeout()
        set_timeout(before)

    def getdefaulttimeout() -> float | None:
        return _timeouts.get(running_rank(), get_timeout())

    def make_with_timeout(self: socket.socket, *arguments: Any, **named: Any) -> None:
        make(self, *arguments, **named)
        rank = running_rank()
        if rank in _timeouts:
            self.settimeout(_timeouts[rank])

    patches.set(socket, "setdefaulttimeout", setdefaulttimeout)
    patches.set(socket, "getdefaulttimeout", getdefaulttimeout)
    patches.set(socket.socket, "__init__", make_with_timeout)
