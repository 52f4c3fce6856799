"""Process state of each rank: environment, working directory, identity, exit handlers and signal handlers.

Each rank begins with the launcher's state, and gets its own copy when it changes something.
"""

import atexit
import errno
import inspect
import os
import platform
import signal
import socket
import subprocess
import sys
import traceback
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from pysmpi.native import lib
from pysmpi.simulation.isolation.child_lifetimes import note_signal
from pysmpi.simulation.isolation.current import Private, forked_from, rank_of_thread, running_rank
from pysmpi.simulation.isolation.interval_timers import handler_before
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["PID_OF_RANK_0", "has_own_environment", "hide_handler", "install", "run_exit_handlers"]

PID_OF_RANK_0 = 100_000  # process id of rank 0 in every run; above Linux's default limit (32,768)

_environments: Private[dict[bytes, bytes]] = Private()  # environments of ranks that have changed theirs
_places: Private[dict[bytes, bytes]] = Private()  # environments of ranks that have only read theirs
_variables: Callable[[int], Mapping[str, str]]  # variables that the launcher sets for a rank
_exit_handlers: Private[list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]] = Private()
_signal_handlers: Private[dict[int, Any]] = Private()
_cores: Private[set[int]] = Private()  # cores that ranks have chosen by os.sched_setaffinity


def install(
    patches: Patches,
    host_name: Callable[[int], str],
    host_cores: Callable[[int], int],
    variables: Callable[[int], Mapping[str, str]],
) -> None:
    """Replace functions of os, socket, platform, signal and atexit by functions that use the running rank's state.

    Args:
        patches: record of the replaced attributes.
        host_name: function that returns the name of a rank's host.
        host_cores: function that returns the number of cores of a rank's host.
        variables: function that returns a rank's own environment variables.
    """
    _install_environment(patches, variables)
    _install_directory(patches)
    _install_identity(patches, host_name, host_cores)
    _install_affinity(patches, host_cores)
    _install_exit(patches)
    _install_signals(patches)


def has_own_environment(rank: int) -> bool:
    """Return whether the rank has changed its environment."""
    return rank in _environments


class _RankEnviron(type(os.environ)):  # type: ignore[misc]
    """Class of os.environ during a simulation: a mapping with the environment variables of the running rank."""

    @property
    def _data(self) -> dict[bytes, bytes]:
        rank = max(running_rank(depends=False), forked_from())
        shared: dict[bytes, bytes] = self.__dict__["_data"]
        if rank < 0:
            return shared
        own = _environments.get(rank)
        if own is None:
            own = _places.get(rank)
        if own is None:
            own = _places[rank] = {**shared, **_variables_of(rank)}
        return own

    def __getitem__(self, key: Any) -> Any:
        """Return the value of a variable.

        If the variable describes the rank, and a shared module reads it while being imported, the module becomes
        private to the rank.
        """
        try:
            return super().__getitem__(key)
        except KeyError:
            rank = rank_of_thread()
            if rank < 0 or os.fsdecode(key) not in _variables(rank) or running_rank() < 0:
                raise
            return super().__getitem__(key)

    def _own(self) -> None:
        rank = running_rank()
        if rank >= 0 and rank not in _environments:
            _environments[rank] = self._data

    def __setitem__(self, key: Any, value: Any) -> None:
        self._own()
        super().__setitem__(key, value)

    def __delitem__(self, key: Any) -> None:
        self._own()
        super().__delitem__(key)


def _variables_of(rank: int) -> dict[bytes, bytes]:
    return {os.fsencode(name): os.fsencode(value) for name, value in _variables(rank).items()}


def _install_environment(patches: Patches, variables: Callable[[int], Mapping[str, str]]) -> None:
    global _variables
    _variables = variables
    patches.set_class(os.environ, _RankEnviron)
    patches.set_class(os.environb, _RankEnviron)
    for name in ("putenv", "unsetenv"):  # the C library has one environment for all ranks
        patches.set(os, name, _outside_ranks_only(getattr(os, name)))

    execute = subprocess.Popen._execute_child  # type: ignore[attr-defined]
    position = list(inspect.signature(execute).parameters).index("env") - 1

    def execute_of_rank(self: Any, *arguments: Any) -> None:
        if arguments[position] is None and running_rank() >= 0:
            arguments = (*arguments[:position], dict(os.environ), *arguments[position + 1 :])
        execute(self, *arguments)

    patches.set(subprocess.Popen, "_execute_child", execute_of_rank)


def _outside_ranks_only(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        return function(*arguments) if running_rank() < 0 else None

    return call


def _install_directory(patches: Patches) -> None:
    def isolating(change: Callable[..., None]) -> Callable[..., None]:
        def changed(target: Any) -> None:
            rank = running_rank()
            before = os.getcwd() if rank >= 0 else ""
            change(target)
            if rank >= 0:
                lib.pysmpi_isolate_directory(rank, os.fsencode(before), os.fsencode(os.getcwd()))

        return changed

    patches.set(os, "chdir", isolating(os.chdir))
    patches.set(os, "fchdir", isolating(os.fchdir))


def _install_identity(patches: Patches, host_name: Callable[[int], str], host_cores: Callable[[int], int]) -> None:
    def in_ranks(owner: object, name: str, of_rank: Callable[[int], Any]) -> None:
        if not hasattr(owner, name):
            return
        original = getattr(owner, name)

        def call(*arguments: Any, **named: Any) -> Any:
            rank = running_rank()
            return original(*arguments, **named) if rank < 0 else of_rank(rank)

        patches.set(owner, name, call)

    system = os.uname()
    in_ranks(os, "getpid", lambda rank: PID_OF_RANK_0 + rank)
    in_ranks(os, "cpu_count", host_cores)
    in_ranks(os, "process_cpu_count", host_cores)
    in_ranks(os, "sched_getaffinity", lambda rank: set(_cores.get(rank, range(host_cores(rank)))))
    in_ranks(
        os,
        "uname",
        lambda rank: os.uname_result((system.sysname, host_name(rank), system.release, system.version, system.machine)),
    )
    in_ranks(socket, "gethostname", host_name)
    in_ranks(socket, "getfqdn", host_name)
    in_ranks(platform, "node", host_name)
    known = platform.uname()  # without its `processor`, because reading that would start a child process

    def uname(rank: int) -> platform.uname_result:
        return platform.uname_result(known.system, host_name(rank), known.release, known.version, known.machine)

    in_ranks(platform, "uname", uname)
    psutil = sys.modules.get("psutil")
    if psutil is not None:
        in_ranks(psutil, "cpu_count", host_cores)


def _install_affinity(patches: Patches, host_cores: Callable[[int], int]) -> None:
    """Let a rank choose cores of its simulated host with os.sched_setaffinity.

    The rank's threads (OMP_NUM_THREADS) then use at most as many cores. Which ones has no effect.
    """
    original = getattr(os, "sched_setaffinity", None)
    if original is None:
        return

    def choose(pid: int, mask: Iterable[int]) -> None:
        rank, target = running_rank(), pid - PID_OF_RANK_0 if pid else running_rank()
        if rank < 0 or not 0 <= target < lib.pysmpi_rank_count():
            original(pid, mask)
            return
        chosen = set(mask) & set(range(host_cores(target)))
        if not chosen:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        _cores[target] = chosen
        lib.pysmpi_pin_rank(target, len(chosen))

    patches.set(os, "sched_setaffinity", choose)


class _Leave(SystemExit):
    """Exception that os._exit raises; it ends the rank without its exit handlers."""


def _install_exit(patches: Patches) -> None:
    weakref.finalize(_RankEnviron, int).detach()  # registers its exit handler now, not in the first rank to use it
    register, unregister, leave = atexit.register, atexit.unregister, os._exit

    def register_of_rank(function: Callable[..., Any], *arguments: Any, **named: Any) -> Callable[..., Any]:
        if running_rank() < 0:
            return register(function, *arguments, **named)
        _exit_handlers.of_running(list).append((function, arguments, named))
        return function

    def unregister_of_rank(function: Callable[..., Any]) -> None:
        rank = running_rank()
        if rank < 0:
            unregister(function)
        elif rank in _exit_handlers:
            _exit_handlers[rank] = [entry for entry in _exit_handlers[rank] if entry[0] != function]

    def leave_rank(status: int) -> NoReturn:
        rank = running_rank()
        if rank < 0:
            leave(status)
        _exit_handlers.pop(rank, None)
        lib.pysmpi_forget_exit_functions()
        raise _Leave(status)

    patches.set(atexit, "register", register_of_rank)
    patches.set(atexit, "unregister", unregister_of_rank)
    patches.set(os, "_exit", leave_rank)


def run_exit_handlers(rank: int) -> None:
    """Call the functions that the rank has registered with atexit, the last first, then those that its copies of
    extension modules have registered with ``Py_AtExit``.

    As in the interpreter, an exception is only printed: the remaining functions still run, and the exit status stays
    unchanged.
    """
    while handlers := _exit_handlers.get(rank):
        function, arguments, named = handlers.pop()
        try:
            function(*arguments, **named)
        except (Exception, SystemExit):
            sys.stderr.write(f"Exception ignored in atexit callback {function!r} of rank {rank}:\n")
            traceback.print_exc()
    lib.pysmpi_run_exit_functions()


def hide_handler(number: int, shown: Any) -> None:
    """Make `signal.getsignal` return `shown` in ranks for the signal `number`, whose actual handler is the launcher's.

    With None, it returns the actual handler again.
    """
    if shown is None:
        _hidden_handlers.pop(number, None)
    else:
        _hidden_handlers[number] = shown


def _signal_rank(target: int, number: int) -> None:
    """Do what `os.kill` does to another rank, or to the rank itself for SIGKILL and 0."""
    if number == 0:
        return
    if number == signal.SIGKILL:
        lib.pysmpi_fail_rank(target)
    elif target in _signal_handlers and int(number) in _signal_handlers[target]:
        raise PermissionError(
            1,
            f"os.kill: cannot signal rank {target}, which has a handler for signal {int(number)}; "
            "only that rank itself can raise it",
        )
    elif number not in _IGNORED_BY_DEFAULT:
        lib.pysmpi_stop_rank(target)


def _install_signals(patches: Patches) -> None:
    set_handler, get_handler, kill = signal.signal, signal.getsignal, os.kill

    def signal_of_rank(number: int, handler: Any) -> Any:
        if running_rank() < 0:
            return set_handler(number, handler)
        before = getsignal_of_rank(number)
        _signal_handlers.of_running(dict)[int(number)] = handler
        return before

    def getsignal_of_rank(number: int) -> Any:
        own = _signal_handlers.get(running_rank(), {})
        if int(number) in own:
            return own[int(number)]
        if running_rank() >= 0 and number == signal.SIGINT:
            return signal.default_int_handler
        if running_rank() >= 0 and number in _hidden_handlers:
            return _hidden_handlers[int(number)]
        if running_rank() >= 0 and number == signal.SIGALRM:
            return handler_before()
        return get_handler(number)

    def deliver(number: int) -> None:
        handler = getsignal_of_rank(number)
        if callable(handler):
            handler(int(number), sys._getframe(2))
        elif handler != signal.SIG_IGN and number not in _IGNORED_BY_DEFAULT:
            _exit_handlers.pop(running_rank(), None)
            raise _Leave(128 + int(number))

    def kill_of_rank(pid: int, number: int) -> None:
        rank, target = running_rank(), pid - PID_OF_RANK_0
        if rank < 0 or not 0 <= target < lib.pysmpi_rank_count():
            kill(pid, number)
            if number != 0:
                note_signal(pid)
        elif target == rank and number not in (0, signal.SIGKILL):
            deliver(number)
        else:
            _signal_rank(target, number)

    def raise_in_rank(number: int) -> None:
        if running_rank() < 0:
            raise_signal(number)
        else:
            deliver(number)

    raise_signal = signal.raise_signal
    patches.set(signal, "signal", signal_of_rank)
    patches.set(signal, "getsignal", getsignal_of_rank)
    patches.set(signal, "raise_signal", raise_in_rank)
    patches.set(os, "kill", kill_of_rank)


_hidden_handlers: dict[int, Any] = {}  # handlers that ranks see in place of the launcher's, by signal
_IGNORED_BY_DEFAULT = {signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH, signal.SIGCONT}
