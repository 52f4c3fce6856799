"""``select.select``, ``epoll`` and ``os.read`` in ranks: while a rank waits for files and sockets, other ranks run."""

import os
import select
import selectors
import stat
import sys
from types import FrameType
from typing import Any

from pysmpi.isolation.current import running_rank
from pysmpi.isolation.looks import started
from pysmpi.isolation.outside import poll_outside
from pysmpi.isolation.patching import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Replace select.select, the method poll of select.epoll, and os.read, so that other ranks run while a rank
    waits."""
    real_select = select.select

    def select_in_rank(readers: Any, writers: Any, exceptional: Any, timeout: float | None = None) -> Any:
        if running_rank() < 0 or timeout == 0:
            return real_select(readers, writers, exceptional, timeout)
        readers, writers, exceptional = list(readers), list(writers), list(exceptional)

        def look() -> Any:
            found = real_select(readers, writers, exceptional, 0)
            return found if any(found) else None

        return poll_outside(look, -1.0 if timeout is None else timeout) or ([], [], [])

    patches.set(select, "select", select_in_rank)
    patches.set(selectors.SelectSelector, "_select", staticmethod(select_in_rank))
    _install_read(patches)
    if not hasattr(select, "epoll"):
        return
    real_poll = select.epoll.poll

    def poll(self: Any, timeout: float | None = None, maxevents: int = -1) -> Any:
        if running_rank() < 0 or timeout == 0:
            return real_poll(self, timeout, maxevents)
        limit = -1.0 if timeout is None else timeout
        return poll_outside(lambda: real_poll(self, 0, maxevents), limit)

    patches.set_method(select.epoll, "poll", poll)


def _install_read(patches: Patches) -> None:
    """Let other threads and ranks run while os.read waits for an empty pipe: another thread of the rank may be the
    writer."""
    read_now, new_poll = os.read, select.poll

    def read(fd: int, length: int, /) -> bytes:
        if started.get(running_rank()) and _may_wait(fd, sys._getframe(1)):
            looker = new_poll()
            looker.register(fd, select.POLLIN)
            poll_outside(lambda: looker.poll(0), -1.0)
        return read_now(fd, length)

    patches.set(os, "read", read)


def _may_wait(fd: int, caller: FrameType) -> bool:
    """Return whether the file is a blocking pipe to which a thread of the rank may write.

    The module subprocess reads from a pipe to which only the starting child process writes.
    """
    is_pipe = stat.S_ISFIFO(os.fstat(fd).st_mode) and os.get_blocking(fd)
    return is_pipe and caller.f_globals.get("__name__") != "subprocess"
