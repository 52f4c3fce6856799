"""Waits for files in ranks: ``select``, ``poll``, ``epoll`` and reads of pipes.

Meanwhile other ranks run, and simulated time passes at the speed of real time.
"""

import builtins
import io
import os
import select
import stat
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from pysmpi.simulation.isolation.child_lifetimes import keep_pace, wait_outside
from pysmpi.simulation.isolation.current import running_rank
from pysmpi.simulation.isolation.looks import started
from pysmpi.simulation.isolation.patching import Patches, original_of

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Replace select.select, the methods `poll` of select.poll and select.epoll, os.read, and files on pipes, so that
    other ranks run while a rank waits."""
    _install_select(patches)
    # select.poll takes milliseconds, select.epoll seconds. The event loops of asyncio poll an epoll between any two
    # steps; only polls of a program itself keep pace with its child processes.
    _install_polls(patches, type(select.poll()), "poll", lambda timeout: timeout / 1000, keep_pace)
    if hasattr(select, "epoll"):
        _install_polls(patches, select.epoll, "poll", lambda timeout: timeout, lambda look: look())
    _install_read(patches)
    _install_pipes(patches)


def _install_select(patches: Patches) -> None:
    real_select = original_of(select.select)

    def select_in_rank(readers: Any, writers: Any, exceptional: Any, timeout: float | None = None, /) -> Any:
        if running_rank() < 0 or (timeout is not None and timeout < 0):
            return real_select(readers, writers, exceptional, timeout)
        readers, writers, exceptional = list(readers), list(writers), list(exceptional)

        def look() -> Any:
            found = real_select(readers, writers, exceptional, 0)
            return found if any(found) else None

        found = keep_pace(look) if timeout == 0 else wait_outside(look, -1.0 if timeout is None else timeout)
        return found or ([], [], [])

    patches.set_builtin(select.select, select_in_rank)


def _install_polls(
    patches: Patches,
    kind: type,
    name: str,
    in_seconds: Callable[[float], float],
    look_once: Callable[[Callable[[], Any]], Any],
) -> None:
    """Replace the method of a class that waits for files.

    Args:
        patches: record of the replaced methods.
        kind: class of the module select.
        name: name of the method.
        in_seconds: function that converts the method's timeout to seconds.
        look_once: function that calls a function which checks the files without waiting.
    """
    method = vars(kind)[name]
    real_poll = original_of(method)

    def poll(self: Any, timeout: float | None = None, *arguments: Any, **named: Any) -> Any:
        if running_rank() < 0:
            return real_poll(self, timeout, *arguments, **named)
        if timeout == 0:
            return look_once(lambda: real_poll(self, 0, *arguments, **named))
        limit = -1.0 if timeout is None or timeout < 0 else in_seconds(timeout)
        return wait_outside(lambda: real_poll(self, 0, *arguments, **named), limit)

    patches.set_builtin(method, poll)


class _Pipe(io.FileIO):
    """Reading end of a pipe: a rank that waits for data lets others run."""

    def _wait(self) -> None:
        if running_rank() >= 0 and os.get_blocking(self.fileno()):
            looker = select.poll()
            looker.register(self.fileno(), select.POLLIN)
            looker.poll()

    def readinto(self, buffer: Any, /) -> int | None:
        self._wait()
        return super().readinto(buffer)

    def read(self, size: int | None = -1, /) -> Any:
        if size is None or size < 0:
            return self.readall()
        self._wait()
        return super().read(size)

    def readall(self) -> Any:
        parts = []
        while part := self.read(1 << 16):
            parts.append(part)
        return None if part is None and not parts else b"".join(parts)


def _install_pipes(patches: Patches) -> None:
    """Let ``open(descriptor)``, by which the module subprocess reads the output of a child, return a `_Pipe`."""
    open_before = io.open

    def open_in_rank(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if not isinstance(file, int) or running_rank() < 0 or not _reads_pipe(file, mode):
            return open_before(file, mode, *arguments, **named)
        names = ("buffering", "encoding", "errors", "newline", "closefd")
        options = dict(zip(names, arguments, strict=False)) | named
        raw = _Pipe(file, "rb", options.get("closefd", True))
        buffering = options.get("buffering", -1)
        if buffering == 0:
            if "b" not in mode:
                raise ValueError("can't have unbuffered text I/O")
            return raw
        stream: Any = raw
        buffered = io.BufferedReader(stream, buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)
        if "b" in mode:
            return buffered
        encoding, errors, newline = (options.get(name) for name in names[1:4])
        text = io.TextIOWrapper(buffered, encoding, errors, newline, line_buffering=buffering == 1)
        text.mode = mode  # type: ignore[misc]
        return text

    for owner in (builtins, io):
        patches.set(owner, "open", open_in_rank)


def _reads_pipe(descriptor: int, mode: str) -> bool:
    if "r" not in mode or "+" in mode:
        return False
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False  # the original `open` will report this error


def _install_read(patches: Patches) -> None:
    """Let other threads and ranks run while os.read waits for an empty pipe: another thread of the rank may be the
    writer."""
    read_now = os.read

    def read(fd: int, length: int, /) -> bytes:
        if running_rank() >= 0 and _may_wait(fd, sys._getframe(1)):
            looker = select.poll()
            looker.register(fd, select.POLLIN)
            looker.poll()
        return read_now(fd, length)

    patches.set(os, "read", read)


def _may_wait(fd: int, caller: FrameType) -> bool:
    """Return whether a read may wait for a thread of the rank, or for a time: the file is a blocking pipe to which a
    thread may write, or a timer.

    The module subprocess reads from a pipe to which only the starting child process writes.
    """
    kind = stat.S_IFMT(os.fstat(fd).st_mode)
    is_timer = kind == 0  # or another file without a name, such as an event counter
    if not is_timer and not (kind == stat.S_IFIFO and started.get(running_rank())):
        return False
    return os.get_blocking(fd) and caller.f_globals.get("__name__") != "subprocess"
