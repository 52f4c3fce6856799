"""The running rank, and Python state that is private to ranks."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import get_ident
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

from pysmpi.native import ffi, lib
from pysmpi.util.stop_signals import STOP_SIGNALS

__all__ = [
    "Private",
    "begin",
    "follow_imports",
    "forget",
    "forget_all",
    "forked_from",
    "hosted",
    "in_thread_of_ranks",
    "isolate_absence",
    "isolate_entry",
    "rank_of_thread",
    "running_rank",
    "set_handlers_of_children",
    "timed_rank",
    "tracked_for_all",
]

T = TypeVar("T")

_real_getsignal, _real_signal = signal.getsignal, signal.signal  # stored here because a simulation replaces them
_native_running: Callable[[], int] = lib.pysmpi_running_rank
_native_thread: Callable[[], int] = lib.pysmpi_running_thread
_hosted: set[int] = set()  # numbers of the threads of ranks in which code of the host runs
_thread_of_ranks = 0
_launcher: greenlet | None = None  # the greenlet that has started the ranks
_is_importing: Callable[[bool], bool] | None = None  # set by `follow_imports`


def running_rank(*, depends: bool = True) -> int:
    """Return the running rank, or -1 outside ranks, in other threads, in code of the host (`hosted`), and while a
    shared module is imported.

    Args:
        depends: whether the calling function does something that depends on the rank, such as returning the rank's host
            name. If a shared module that uses MPI is being imported, such a call makes the module private to the rank.
    """
    if get_ident() != _thread_of_ranks or (_is_importing is not None and _is_importing(depends)):
        return -1
    return -1 if _hosted and _native_thread() in _hosted else _native_running()


def rank_of_thread() -> int:
    """Return the running rank, or -1 outside ranks, in other threads, and in the code around pysmpi (`hosted`).

    Unlike `running_rank`, return the rank also while a shared module is imported, and never make a module private.
    """
    return -1 if get_ident() != _thread_of_ranks or (_hosted and _native_thread() in _hosted) else _native_running()


def timed_rank() -> int:
    """Return the running rank whose clock a call reads, as `running_rank` does, but -1 in the launcher's greenlet.

    The launcher runs between two ranks, when the engine has chosen the next one. Functions of the host may run there,
    such as a function in ``gc.callbacks`` that measures collections; for them no simulated time passes.
    """
    return -1 if getcurrent() is _launcher else running_rank()


@contextmanager
def hosted() -> Iterator[None]:
    """Context in which the running thread of a rank executes code of the host, such as a notebook's kernel.

    `running_rank` returns -1 there, so that this code sees the process as it is outside ranks.
    """
    number = _native_thread()
    if number < 0 or number in _hosted:
        yield
        return
    _hosted.add(number)
    try:
        yield
    finally:
        _hosted.discard(number)


def in_thread_of_ranks() -> bool:
    """Return whether the calling thread is the one in which all ranks run."""
    return get_ident() == _thread_of_ranks


def forked_from() -> int:
    """Return the rank that has forked this process, or -1 if no rank has."""
    return _forked_from


def begin() -> None:
    """Register the calling thread as the one in which all ranks run."""
    global _thread_of_ranks, _forked_from, _launcher
    _thread_of_ranks, _forked_from, _launcher = get_ident(), -1, getcurrent()


_thread_that_forks = 0
_signal_mask: set[int] = set()  # signals that were blocked before the fork
_forked_from = -1  # rank that has forked this process
_handlers_of_children: dict[int, tuple[Any, Any]] = {}


def set_handlers_of_children(handlers: Mapping[int, tuple[Any, Any]]) -> None:
    """Set the signal handlers that child processes have from their beginning.

    A handler in Python runs only when Python code runs next. The launcher's would never run in a child that is
    terminated when it has just begun to wait.

    Args:
        handlers: the launcher's handler, and the handler or ``SIG_DFL`` that replaces it, by number of the signal.
    """
    global _handlers_of_children
    _handlers_of_children = dict(handlers)


# No rank runs in a child process that a rank forks. Functions that other modules run before the fork, and after it in
# the parent, must not run as a rank either, because they acquire locks before the fork and release them after it.
# Signals that stop a process are blocked meanwhile: Python forgets those that its handlers have noted before the child
# is ready, so a child that is terminated at once would go on.
def _before_fork() -> None:
    global _thread_of_ranks, _thread_that_forks, _signal_mask
    if get_ident() == _thread_of_ranks:
        _thread_that_forks, _thread_of_ranks = _thread_of_ranks, 0
        _signal_mask = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        lib.pysmpi_pause_child_watch()


def _after_fork() -> None:
    global _thread_of_ranks, _thread_that_forks
    if _thread_that_forks:
        _thread_of_ranks, _thread_that_forks = _thread_that_forks, 0
        signal.pthread_sigmask(signal.SIG_SETMASK, _signal_mask)


def _in_child_process() -> None:
    global _thread_of_ranks, _thread_that_forks, _forked_from
    from_ranks = _thread_that_forks != 0
    _forked_from = _native_running() if from_ranks else -1
    _thread_of_ranks = _thread_that_forks = 0
    lib.pysmpi_leave_child_watch()
    if _native_running() >= 0:  # else the process may run simulations of its own
        lib.pysmpi_enter_child_process()
    for number, (launchers, handler) in _handlers_of_children.items():
        if _real_getsignal(number) is launchers:
            _real_signal(number, handler)
    if from_ranks:
        signal.pthread_sigmask(signal.SIG_SETMASK, _signal_mask)


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child_process)


def follow_imports(is_importing: Callable[[bool], bool] | None) -> None:
    """Set the function by which `running_rank` finds out whether a shared module is being imported; None if none is.

    The function's argument has the meaning of `depends` in `running_rank`.
    """
    global _is_importing
    _is_importing = is_importing


@contextmanager
def tracked_for_all() -> Iterator[None]:
    """Context in which the garbage collector works for the main greenlet instead of the running rank.

    Inside it, the collector visits only objects that no rank has made, and new objects do not count as made by a
    rank.
    """
    before = lib.pysmpi_garbage_of(-1)
    try:
        yield
    finally:
        lib.pysmpi_garbage_of(before)


class Private(dict[int, T]):
    """One value per rank, created at the rank's first use and dropped when the rank ends."""

    _all: "list[Private[Any]]" = []  # noqa: RUF012  (shared by all instances on purpose)

    def __init__(self) -> None:
        super().__init__()
        Private._all.append(self)

    def of_running(self, make: Callable[[], T]) -> T:
        """Return the running rank's value; create it if the rank has none."""
        rank = running_rank()
        found = self.get(rank)
        if found is None:
            found = self[rank] = make()
        return found


def forget(rank: int) -> None:
    """Drop all private state of a rank that has ended."""
    for each in Private._all:
        if each:
            each.pop(rank, None)
    lib.pysmpi_isolation_forget(rank)


def forget_all() -> None:
    """Drop the private Python state of all ranks, because the simulation has ended."""
    _hosted.clear()
    for each in Private._all:
        each.clear()


def isolate_entry(rank: int, dictionary: dict[Any, Any], key: str, value: object) -> None:
    """Make ``dictionary[key]`` private to the rank, with `value` as its initial value."""
    lib.pysmpi_isolate_entry(rank, _pointer(dictionary), _pointer(sys.intern(key)), _pointer(value))


def isolate_absence(rank: int, dictionary: dict[Any, Any], key: str) -> None:
    """Make ``dictionary[key]`` private to the rank, and missing for this rank until the rank sets it."""
    lib.pysmpi_isolate_entry(rank, _pointer(dictionary), _pointer(sys.intern(key)), ffi.NULL)


def _pointer(value: object) -> Any:
    return ffi.cast("void *", id(value))
