"""Event loops of asyncio and trio: each rank, and each of its threads, has its own, which waits in simulated time.

The running loop is exchanged when ranks are switched (pysmpi/native/engine/event_loops.hpp). A loop that waits only for
timers and for other threads of its rank sleeps in simulated time; one that also waits for sockets, pipes or child
processes polls them, and simulated time then passes at the speed of real time.
"""

import inspect
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.child_lifetimes import wait_outside
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.interpreter import isolate_assignments
from pysmpi.simulation.isolation.locks import wait_until_woken, wake
from pysmpi.simulation.isolation.modules import isolate_values, when_loaded
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.retained_state import retained_state
from pysmpi.simulation.isolation.verdicts import Verdicts

__all__ = ["install"]

_CREATORS = frozenset(("asyncio.events", "asyncio.unix_events", "asyncio.selector_events"))

_keepers: set[str] = set()  # shared modules that have created an event loop in this simulation
_wakeup_files: Private[int] = Private()  # results of signal.set_wakeup_fd
_waiting: Private[dict[int, int]] = Private()  # threads of the rank that wait in an event loop, by the loop's id


def install(patches: Patches, verdicts: Verdicts) -> None:
    """Adapt asyncio, trio, and the functions of the module signal that they use, to ranks.

    Args:
        patches: record of the replaced attributes.
        verdicts: decisions on which modules are private to each rank.
    """
    _install_signals(patches)
    when_loaded(patches, "asyncio", lambda: _adapt_asyncio(patches, verdicts))
    when_loaded(patches, "trio", lambda: _adapt_trio(patches))


def _adapt_trio(patches: Patches) -> None:
    """Keep trio from naming its threads in the operating system.

    Threads of ranks are greenlets, whose identifiers the C library would take for addresses of threads.
    """
    cache = sys.modules.get("trio._core._thread_cache")
    if hasattr(cache, "set_os_thread_name"):
        patches.set(cache, "set_os_thread_name", lambda *_: None)


def _adapt_asyncio(patches: Patches, verdicts: Verdicts) -> None:
    _exchange_at_switches(patches)
    _separate_policies(patches)
    _install_waits(patches, verdicts)
    patches.at_undo(_keepers.clear)
    _install_ends(patches)
    _install_signal_handler(patches)


def _exchange_at_switches(patches: Patches) -> None:
    implementation = sys.modules.get("_asyncio")  # in C; its Python twin keeps the loop in a threading.local
    if implementation is None:
        return
    names = ["_get_running_loop", "_set_running_loop"]
    if sys.version_info >= (3, 14):  # the running task belongs to the thread; in earlier versions, to the loop
        names.append("_swap_current_task")
    functions = [ffi.cast("void *", id(getattr(implementation, name))) for name in names]
    _put_away_launchers_loop(patches, implementation)
    lib.pysmpi_set_event_loop_functions(*functions, *[ffi.NULL] * (3 - len(names)))
    patches.at_undo(lambda: lib.pysmpi_set_event_loop_functions(ffi.NULL, ffi.NULL, ffi.NULL))


def _put_away_launchers_loop(patches: Patches, implementation: Any) -> None:
    """Hide the event loop that runs the simulator, for example that of a notebook, from ranks."""
    loop, hooks = implementation._get_running_loop(), sys.get_asyncgen_hooks()
    if loop is None or running_rank() >= 0:
        return
    swap_task = implementation._swap_current_task if sys.version_info >= (3, 14) else lambda *_: None
    task = swap_task(loop, None)
    implementation._set_running_loop(None)
    sys.set_asyncgen_hooks(None, None)

    def put_back() -> None:
        implementation._set_running_loop(loop)
        swap_task(loop, task)
        sys.set_asyncgen_hooks(*hooks)

    patches.at_undo(put_back)


def _separate_policies(patches: Patches) -> None:
    """Give each rank its own policy for event loops, and each of its threads its own current loop."""
    events = sys.modules["asyncio.events"]
    name = "BaseDefaultEventLoopPolicy"
    policy = getattr(events, name, None) or getattr(events, f"_{name}")
    contents = {key: value for key, value in vars(policy._Local).items() if not key.startswith("__")}
    patches.set(policy, "_Local", type("_Local", (threading.local,), contents))
    patches.set(events, "_event_loop_policy", None)
    isolate_assignments(vars(events))


def _isolate_keeper(verdicts: Verdicts) -> None:
    """Give each rank its own global variables of the shared module that is creating an event loop.

    The module may store the loop in a global variable, and each rank needs its own loop.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in _CREATORS:
        frame = frame.f_back
    name = frame.f_globals.get("__name__", "") if frame is not None else ""
    module = sys.modules.get(name)
    if (
        frame is None
        or module is None
        or vars(module) is not frame.f_globals
        or name in {"__main__", "asyncio.runners"}
    ):
        return
    if name not in _keepers and not verdicts.is_private(name):
        _keepers.add(name)
        isolate_values(module, retained_state(module))


def _install_waits(patches: Patches, verdicts: Verdicts) -> None:
    loop_class = sys.modules["asyncio.selector_events"].BaseSelectorEventLoop
    real_init, real_write = loop_class.__init__, loop_class._write_to_self

    def init(self: Any, *arguments: Any, **named: Any) -> None:
        real_init(self, *arguments, **named)
        if running_rank() >= 0:
            _isolate_keeper(verdicts)
            look = self._selector.select
            self._selector.select = lambda timeout=None: _select(self, look, timeout)

    def write_to_self(self: Any) -> None:
        real_write(self)
        thread = _waiting.get(running_rank(), {}).get(id(self))
        if thread is not None:
            wake(thread)

    patches.set(loop_class, "__init__", init)
    patches.set(loop_class, "_write_to_self", write_to_self)


def _select(loop: Any, look: Any, timeout: float | None) -> Any:
    """Return the ready files of a loop; wait for them, or for a wake-up by another thread, at most `timeout`
    seconds."""
    if running_rank() < 0:
        return look(timeout)
    found = look(0)
    if found or (timeout is not None and timeout <= 0):
        return found
    limit = -1.0 if timeout is None else timeout
    waiting = _waiting.of_running(dict)
    waiting[id(loop)] = lib.pysmpi_running_thread()
    try:
        if len(loop._selector.get_map()) > loop._internal_fds:
            return wait_outside(lambda: look(0), limit)
        wait_until_woken(limit)
        return look(0)
    finally:
        del waiting[id(loop)]


def _install_ends(patches: Patches) -> None:
    """Keep asyncio from reporting the unfinished tasks of ranks that are being stopped."""
    loop_class = sys.modules["asyncio.base_events"].BaseEventLoop
    all_tasks = sys.modules["asyncio.tasks"].all_tasks
    real_run = loop_class.run_forever

    def run_forever(self: Any) -> None:
        try:
            real_run(self)
        finally:
            if running_rank() >= 0 and lib.pysmpi_is_stopping(running_rank()):
                self.set_exception_handler(lambda *_: None)
                for task in all_tasks(self):
                    coroutine = task.get_coro()
                    if inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                        coroutine.close()

    patches.set(loop_class, "run_forever", run_forever)


def _install_signal_handler(patches: Patches) -> None:
    """Notify the rank's loop of a signal as the interpreter does for real signals: by a byte in its wake-up file."""

    def write_to_loop(number: int, _frame: Any) -> None:
        file = _wakeup_files.get(running_rank(), -1)
        if file >= 0:
            os.write(file, bytes([number]))
            for thread in list(_waiting.of_running(dict).values()):
                wake(thread)

    unix = sys.modules.get("asyncio.unix_events")
    if unix is not None:
        patches.set(unix, "_sighandler_noop", write_to_loop)


def _install_signals(patches: Patches) -> None:
    real_set, real_interrupt = signal.set_wakeup_fd, signal.siginterrupt

    def set_wakeup_fd(fd: int, *, warn_on_full_buffer: bool = True) -> int:
        rank = running_rank()
        if rank < 0:
            return real_set(fd, warn_on_full_buffer=warn_on_full_buffer)
        before = _wakeup_files.get(rank, -1)
        _wakeup_files[rank] = fd
        return before

    def siginterrupt(signalnum: int, flag: bool) -> None:
        if running_rank() < 0:
            real_interrupt(signalnum, flag)

    patches.set(signal, "set_wakeup_fd", set_wakeup_fd)
    patches.set(signal, "siginterrupt", siginterrupt)
