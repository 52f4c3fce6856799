"""Reports on where the ranks of a running simulation are: on SIGUSR1, on Ctrl-C, and if nothing makes progress.

A thread checks once a second whether another rank has run or simulated time has passed. After ten seconds without
either, it asks the main thread to report, because only that thread may read the state of the engine. If the main thread
is in a function outside Python, it cannot be interrupted; the watching thread then reports its place.

The thread does not exist while a rank forks: a child process of a process with several threads may hang in a lock that
one of them held, and CPython warns of that from 3.12 on.
"""

import _thread
import contextlib
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TextIO

from pysmpi.native import lib
from pysmpi.simulation.instruments.engine_counters import read_counters
from pysmpi.simulation.isolation.patching import original_of
from pysmpi.simulation.isolation.process import hide_handler
from pysmpi.util.traceback_text import place_of

__all__ = ["Watch"]

SIGNAL = signal.SIGUSR1
# Functions of this machine, stored here because a simulation replaces them under their usual names.
_clock, _own_process, _start, _lock = lib.pysmpi_real_time, os.getpid, _thread.start_new_thread, _thread.allocate_lock
_processor_time = functools.partial(original_of(time.clock_gettime), time.CLOCK_PROCESS_CPUTIME_ID)
_sleep, _entries = lib.pysmpi_rest, os.listdir
_acquire, _release = _thread.LockType.acquire, _thread.LockType.release
_PAUSE = 1.0  # seconds between two checks for progress
_PATIENCE = 10.0  # seconds without progress before the first report
_LONGER = 6  # factor on the patience after each report
_THREADS = "/proc/self/task"  # folder with an entry for each thread, on Linux
_WAITING = 0.1  # share of the processor below which a call outside Python waits instead of computing
_ENDING = 100  # largest number of milliseconds to wait for the end of a thread


class Watch:
    """Context that reports where ranks are: on SIGUSR1, on Ctrl-C, and after ten seconds without progress.

    Args:
        describe: function that returns the text of a report, given the current frame of the main thread (or None) and
            the seconds since progress was last noticed.
        stream: stream for the reports.
    """

    def __init__(self, describe: Callable[[FrameType | None, float | None], str], stream: TextIO) -> None:
        self._describe = describe
        self._stream = stream
        self._running = _lock()  # lock that is held while the watch lasts
        self._watching = _lock()  # lock that is held by the watching thread
        self._begun = _lock()  # lock that is held until the watching thread runs
        _acquire(self._begun)
        self._main = 0
        self._process = 0
        self._handler_before: Any = None
        self._has_handler = False
        self._state = (-1, -1.0)  # number of switches and polls, and simulated time
        self._since = 0.0
        self._used = 0.0  # seconds of processor time of this process, at `_since`
        self._due = ""  # reason for a report that the main thread was asked to write and has not written yet
        self._withdrawn = False  # whether this request was withdrawn before the main thread received it

    def __enter__(self) -> None:
        self._main, self._process = threading.get_ident(), _own_process()
        self._look()
        if threading.current_thread() is threading.main_thread() and signal.getsignal(SIGNAL) == signal.SIG_DFL:
            self._handler_before = signal.signal(SIGNAL, self._on_signal)
            self._has_handler = True
            hide_handler(SIGNAL, self._handler_before)
        self._begin_thread()
        if not _watches:
            _replace_forks()
        _watches.append(self)

    def __exit__(self, *_: object) -> None:
        if _own_process() != self._process:  # a child process, which does not have the thread
            return
        _watches.remove(self)
        if not _watches:
            _restore_forks()
        self._end_thread()
        if self._has_handler:
            signal.signal(SIGNAL, self._handler_before)
            hide_handler(SIGNAL, None)

    def pause(self) -> None:
        """End the thread that watches for progress, because a rank is about to fork."""
        if _own_process() == self._process:
            threads = _count_threads()
            self._end_thread()
            # The thread has released its lock, but the system needs a moment to end it.
            for _ in range(10 * _ENDING):
                if not threads or _count_threads() < threads:
                    break
                _sleep(1e-4)

    def resume(self) -> None:
        """Start the thread that watches for progress again, after a rank has forked."""
        if _own_process() == self._process:
            self._begin_thread()

    def _begin_thread(self) -> None:
        _acquire(self._running)
        _acquire(self._watching)
        _start(self._watch, ())  # not a threading.Thread, which programs would find among theirs
        # Wait until the new thread runs: until then, CPython knows it by the number of the current thread, and it would
        # receive the exceptions that stop ranks.
        _acquire(self._begun)

    def _end_thread(self) -> None:
        _release(self._running)
        _acquire(self._watching)
        _release(self._watching)

    def report(self, why: str, frame: FrameType | None) -> None:
        """Write a report; only the main thread may call this.

        Args:
            why: reason for the report.
            frame: current frame of the main thread.
        """
        begun = lib.pysmpi_begin_exclusion() if lib.pysmpi_running_rank() >= 0 else None
        try:
            self._write(f"{why} {self._describe(frame, _clock() - self._look())}")
        finally:
            if begun is not None:
                lib.pysmpi_end_exclusion(begun)

    def _on_signal(self, _number: int, frame: FrameType | None) -> None:
        if _own_process() != self._process:  # a child process that a rank has forked
            signal.signal(SIGNAL, signal.SIG_DFL)
            os.kill(_own_process(), SIGNAL)
        elif self._withdrawn:
            self._withdrawn = False
        else:
            why, self._due = self._due or "SIGUSR1:", ""
            self.report(why, frame)

    def _look(self) -> float:
        """Check whether ranks have switched or polled, or simulated time has passed, since the last check.

        Returns:
            Time on the clock of this machine at which progress was last noticed.
        """
        counters = read_counters()
        state = (
            counters.switches + counters.failed_probes,
            float(lib.pysmpi_now()),
        )  # endless polls are reported anyway
        if state != self._state:
            self._state, self._since, self._used = state, _clock(), _processor_time()
        return self._since

    def _watch(self) -> None:
        patience = _PATIENCE
        lib.pysmpi_hide_thread(1)
        _release(self._begun)
        try:
            while not _acquire(self._running, timeout=_PAUSE):
                idle = _clock() - self._look()
                if idle < _PATIENCE:
                    patience = _PATIENCE
                elif idle >= patience:
                    patience = idle * _LONGER
                    self._demand(f"no simulated progress for {idle:.0f} s:")
            _release(self._running)
        finally:
            lib.pysmpi_hide_thread(0)
            _release(self._watching)

    def _demand(self, why: str) -> None:
        if self._has_handler:
            self._due = why
            _thread.interrupt_main(SIGNAL)
            if _acquire(self._running, timeout=_PAUSE):
                _release(self._running)
                return
            if not self._due:
                return
            self._due, self._withdrawn = "", True  # the main thread does not return to Python
        rank = lib.pysmpi_running_rank()
        place = place_of(sys._current_frames().get(self._main))
        who = f"rank {rank} is" if rank >= 0 else "the engine is"
        waits = _processor_time() - self._used < _WAITING * (_clock() - self._since)
        hint = (
            "; it waits there: if it waits for another rank by means other than MPI, condition variables, semaphores "
            "and futexes, it waits for ever, because all ranks share one thread"
        )
        where = "" if place is None else f", at {place}"
        self._write(f"{why} {who} in a call outside Python{where}{hint if rank >= 0 and waits else ''}")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # the reader may have gone
            self._stream.write(f"pysmpi: {text}\n")
            self._stream.flush()


_watches: list[Watch] = []  # watches of the simulations under way in this process


def _count_threads() -> int:
    """Return the number of threads of this process, or 0 if it is unknown, because /proc cannot be read."""
    try:
        return len(_entries(_THREADS))
    except OSError:
        return 0


def _pause_all() -> None:
    for watch in _watches:
        watch.pause()


def _resume_all() -> None:
    for watch in _watches:
        watch.resume()


def _after_fork() -> None:
    if not _resumes_later:
        _resume_all()


# These hooks serve forks by functions other than os.fork and os.forkpty, such as those of the module subprocess.
os.register_at_fork(before=_pause_all, after_in_parent=_after_fork)

_resumes_later = False  # whether os.fork resumes the watches: from CPython 3.13 on, it warns after `after_in_parent`
_forks = {name: getattr(os, name) for name in ("fork", "forkpty") if hasattr(os, name)}


def _replace_forks() -> None:
    for name, fork in _forks.items():
        setattr(os, name, _resuming(fork))


def _restore_forks() -> None:
    for name, fork in _forks.items():
        setattr(os, name, fork)


def _resuming(fork: Callable[[], Any]) -> Callable[[], Any]:
    """Return a replacement for `fork`, which starts the watching threads again only after `fork` has returned.

    CPython counts threads inside `fork`, and would warn if the watching threads were running.
    """

    @functools.wraps(fork)
    def call() -> Any:
        global _resumes_later
        _resumes_later = True
        try:
            return fork()
        finally:
            _resumes_later = False
            _resume_all()

    return call
