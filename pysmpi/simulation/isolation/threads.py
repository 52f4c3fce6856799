"""Threads that ranks start: greenlets of the rank, which run while its other threads wait.

A thread runs until it waits for a message, a lock, a queue or a time, or has polled the state of locks, events, queues
or threads many times in a row. If a thread loops without any of these, no other thread runs. Locks, events, queues and
pools of the standard library are built on the locks that this module replaces.
"""

import _thread
import _threading_local
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.locks import new_lock, new_rlock, wait_until_woken, wake
from pysmpi.simulation.isolation.looks import look, started
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.stopping import RankStopped

__all__ = ["install", "stop_threads", "wait_for_threads"]

_FIRST_IDENT = 1 << 40  # first identifier of ranks' threads; far from those of the interpreter's own threads

_handlers: Private[list[Callable[[], Any]]] = Private()  # exit functions that the rank has registered with threading
_first_threads: Private[threading.Thread] = Private()  # result of threading.main_thread() in the rank


class _FirstThread(threading.Thread):
    """Main thread of a rank, in which its program begins: the result of `threading.main_thread` in the rank."""

    def __init__(self, number: int) -> None:
        super().__init__(name="MainThread", daemon=False)
        self._ident = _FIRST_IDENT + number

    def is_alive(self) -> bool:
        """Return True, because this thread ends last: all code of the rank runs before its end."""
        return True

    def join(self, timeout: float | None = None) -> None:
        """Raise an error, because this thread waits for all other threads at its end and could never be joined."""
        raise RuntimeError("cannot join the main thread of a rank")


def install(patches: Patches, start: Callable[[int, Callable[[], None]], None]) -> None:
    """Replace the standard library's threads: a thread that a rank starts runs as a greenlet of this rank.

    Args:
        patches: record of the replaced attributes.
        start: function that adds a thread to the running rank, given the thread's number and the function that it runs.
    """
    _install_locks(patches)
    _install_exit(patches)
    _install_threads(patches, start)
    _install_identity(patches)
    _install_looks(patches)
    patches.set(queue, "SimpleQueue", queue._PySimpleQueue)  # type: ignore[attr-defined]
    patches.set(threading, "local", _threading_local.local)
    real_time = time.monotonic

    def now() -> float:
        # Reading the clock as programs do takes simulated time and lets other threads run, which must not happen while
        # the library holds a lock.
        return real_time() if running_rank(depends=False) < 0 else lib.pysmpi_now()

    for module, name in ((threading, "_time"), (queue, "time")):
        patches.set(module, name, now)


def _install_exit(patches: Patches) -> None:
    if not hasattr(threading, "_register_atexit"):
        return
    register = threading._register_atexit

    def register_of_rank(function: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        if running_rank() < 0:
            register(function, *arguments, **named)
        else:
            _handlers.of_running(list).append(lambda: function(*arguments, **named))

    patches.set(threading, "_register_atexit", register_of_rank)


def _install_locks(patches: Patches) -> None:
    # Locks made with the module _thread stay the interpreter's (shared_locks.py); the import system uses them.
    for name, make in (("Lock", new_lock), ("_allocate_lock", new_lock), ("RLock", new_rlock), ("_CRLock", new_rlock)):
        patches.set(threading, name, make)


def _install_threads(patches: Patches, start_number: Callable[[int, Callable[[], None]], None]) -> None:
    kind = threading.Thread
    real_start, real_join, real_is_alive = kind.start, kind.join, kind.is_alive

    def start(self: Any) -> None:
        if running_rank() < 0:
            real_start(self)
            return
        if not getattr(self, "_initialized", False):
            raise RuntimeError("thread.__init__() not called")
        if self._started.is_set():
            raise RuntimeError("threads can only be started once")
        number = lib.pysmpi_thread_begin()
        self._ident = _FIRST_IDENT + number
        self._pysmpi_joining = []
        start_number(number, lambda: _run(self, number))
        started.of_running(dict)[number] = self
        self._started.set()

    def join(self: Any, timeout: float | None = None) -> None:
        if running_rank() < 0 or not hasattr(self, "_pysmpi_joining"):
            real_join(self, timeout)
            return
        me = lib.pysmpi_running_thread()
        if self._ident == _FIRST_IDENT + me:
            raise RuntimeError("cannot join current thread")
        if self._pysmpi_joining is not None:
            self._pysmpi_joining.append(me)
            try:
                wait_until_woken(-1.0 if timeout is None else max(timeout, 0.0))
            finally:
                if self._pysmpi_joining is not None:  # the timeout has passed
                    self._pysmpi_joining.remove(me)

    def is_alive(self: Any) -> bool:
        look()
        if hasattr(self, "_pysmpi_joining"):
            return self._pysmpi_joining is not None
        return real_is_alive(self)

    start_in_interpreter = _thread.start_new_thread

    def start_new_thread(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        if running_rank() < 0:
            return start_in_interpreter(function, args, kwargs or {})
        thread = kind(target=function, args=args, kwargs=kwargs, daemon=True)
        thread.start()
        return thread.ident

    for name in ("start_new_thread", "start_new"):
        patches.set(_thread, name, start_new_thread)
    patches.set(kind, "start", start)
    patches.set(kind, "join", join)
    patches.set(kind, "is_alive", is_alive)


def _run(thread: Any, number: int) -> None:
    """Run a thread in its greenlet, report its exception, and wake the threads that join it."""
    rank = running_rank()
    try:
        if not lib.pysmpi_is_stopping(number):
            thread.run()
    except (SystemExit, RankStopped):
        pass
    except Exception as error:
        if not lib.pysmpi_is_stopping(number) and error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next  # leave this function out of the traceback
            threading.excepthook(threading.ExceptHookArgs([type(error), error, error.__traceback__, thread]))
    finally:
        if not lib.pysmpi_is_stopping(number):
            lib.pysmpi_account_computation()  # charge the computation since its last call before it ends
        joining, thread._pysmpi_joining = thread._pysmpi_joining, None
        started.get(rank, {}).pop(number, None)
        for waiting in joining:
            wake(waiting)


def _install_looks(patches: Patches) -> None:
    """Count calls of methods such as Event.is_set, which read a state without a lock, as polling.

    `pysmpi.simulation.isolation.looks` says what polling threads do.
    """

    def looking(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(self: Any) -> Any:
            if started:
                look()
            return original(self)

        return call

    simple_queue = queue._PySimpleQueue  # type: ignore[attr-defined]
    for kind, name in (
        (threading.Event, "is_set"), (threading.Event, "isSet"), (simple_queue, "empty"), (simple_queue, "qsize"),
    ):  # fmt: skip
        if hasattr(kind, name):
            patches.set(kind, name, looking(getattr(kind, name)))


def _install_identity(patches: Patches) -> None:
    real_ident, real_current, real_main = threading.get_ident, threading.current_thread, threading.main_thread
    real_enumerate = threading.enumerate

    def get_ident() -> int:
        return real_ident() if running_rank(depends=False) < 0 else _FIRST_IDENT + lib.pysmpi_running_thread()

    def main_thread() -> threading.Thread:
        rank = running_rank(depends=False)
        return real_main() if rank < 0 else _first_threads.of_running(lambda: _FirstThread(rank))

    def current_thread() -> threading.Thread:
        rank = running_rank(depends=False)
        if rank < 0:
            return real_current()
        number = lib.pysmpi_running_thread()
        return main_thread() if number == rank else started[rank][number]

    def enumerate_of_rank() -> list[threading.Thread]:
        look()
        rank = running_rank()
        return real_enumerate() if rank < 0 else [main_thread(), *started.get(rank, {}).values()]

    for name, function in (
        ("get_ident", get_ident),
        ("main_thread", main_thread),
        ("current_thread", current_thread),
        ("enumerate", enumerate_of_rank),
        ("active_count", lambda: len(enumerate_of_rank())),
    ):
        patches.set(threading, name, function)
    patches.set(_threading_local, "current_thread", current_thread)


def wait_for_threads(rank: int) -> None:
    """Wait for the rank's threads that are not daemons, as the interpreter does before it calls exit handlers.

    Before that, call the functions that modules have registered with threading._register_atexit, the last one first.
    """
    while handlers := _handlers.get(rank):
        handlers.pop()()
    pools = sys.modules.get("concurrent.futures.thread")
    while threads := started.get(rank):
        thread = next((each for each in threads.values() if not each.daemon), None)
        if thread is None:
            break
        if pools is not None and thread in pools._threads_queues:
            executor = thread._args[0]()  # type: ignore[attr-defined]  # a weak reference
            if executor is not None:
                executor.shutdown(wait=False)
        thread.join()


def stop_threads(rank: int) -> None:
    """Stop the rank's remaining threads: daemons, and threads that exit handlers have started."""
    for number, thread in list(started.get(rank, {}).items()):
        lib.pysmpi_stop_thread(number)
        if not lib.pysmpi_has_ended(number):  # it has if it was in a wait of compiled code, which cannot be left
            thread.join()
