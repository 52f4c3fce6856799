"""Child processes of ranks in simulated time: a child lives from its start as long as it really runs.

A child that starts at 10 simulated seconds and really runs for half a second ends at 10.5 s. If its rank waits for it
at once, the wait takes 0.5 s. If the rank first computes for two simulated seconds, the wait takes no time. If it
polls, each poll before 10.5 s finds the child running: a poll at 10.3 s waits until the child has really run for 0.3 s.
A loop that polls without anything between that takes time proceeds in small steps of simulated time.

Threads and other ranks run while a rank waits. The functions of the module os that start processes or wait for them are
replaced in ranks; the modules subprocess, multiprocessing and asyncio call them.
"""

import errno
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.outside import poll_outside
from pysmpi.simulation.isolation.patching import Patches, original_of
from pysmpi.simulation.isolation.stopping import RankStopped

__all__ = ["child_count", "has_children", "install", "keep_pace", "note_signal", "services", "wait_outside"]

T = TypeVar("T")

_FIRST_STEP, _LONGEST_STEP = 1e-6, 1e-3  # simulated seconds of the first poll, and the limit to which they double
_ENVIRONMENT = 5  # index of the environment among the arguments of _posixsubprocess.fork_exec
_LEAST = 1e-9  # seconds, the resolution of clocks; shorter waits are skipped


@dataclass(slots=True)
class _Child:
    """Child process that a rank has started and not yet waited for.

    Attributes:
        began: simulated time of its start, in seconds.
        really_began: real time of its start on the clock of this machine, in seconds.
        looked: simulated time at which the rank last found it running; negative before the first time.
        step: simulated seconds of the next poll, if no other time has passed since `looked`.
        signalled: whether the rank has sent it a signal, which may have ended it.
    """

    began: float
    really_began: float
    looked: float = -1.0
    step: float = _FIRST_STEP
    signalled: bool = False

    def real_time_of(self, simulated: float) -> float:
        return self.really_began + (simulated - self.began)

    def left(self, end: float) -> float:
        """Return the simulated seconds until the child ends, given the real time of its end."""
        return 0.0 if self.signalled else max(self.began + (end - self.really_began) - lib.pysmpi_now(), 0.0)


_children: Private[dict[int, _Child]] = Private()  # children of each rank, by process id
_count = 0  # number of children that ranks have started in this simulation
_is_service = False  # whether multiprocessing starts a process for its own use, for which no rank waits
_is_quiet = False  # whether subprocess looks for ended processes that the program has dropped


def child_count() -> int:
    """Return the number of child processes that ranks have started in the latest simulation."""
    return _count


def install(patches: Patches) -> None:
    """Replace the functions that start child processes and wait for them."""
    global _count
    _count = 0
    patches.at_undo(lib.pysmpi_forget_children)
    _install_starts(patches)
    _install_waits(patches)
    _install_clean_up(patches)


def note_signal(pid: int) -> None:
    """Note that the running rank has sent a signal to a process, which may be its child."""
    child = _children.get(running_rank(depends=False), {}).get(pid)
    if child is not None:
        child.signalled = True


def has_children() -> bool:
    """Return whether the running rank has started child processes for which it has not waited."""
    return bool(_children) and bool(_children.get(running_rank(depends=False)))


@contextmanager
def services() -> Iterator[None]:
    """Context in which started processes do not count as children of the rank: nobody waits for their ends."""
    global _is_service
    before, _is_service = _is_service, True
    try:
        yield
    finally:
        _is_service = before


def keep_pace(look: Callable[[], Any]) -> Any:
    """Call `look`, which checks once, without a wait, whether a child process of the running rank has done something.

    If it returns a false value, call it again until each child's real run time has reached its simulated run time. So a
    loop of polls and sleeps takes as many turns as outside simulations.
    """
    found = look()
    mine = _children.get(running_rank(depends=False))
    if found or not mine:
        return found
    _account()
    now = lib.pysmpi_now()
    try:
        due = max(child.real_time_of(now) for child in mine.values())
        while (
            not (found := look())
            and (left := due - lib.pysmpi_real_time()) > 0
            and any(lib.pysmpi_child_end(pid) < 0 for pid in mine)
        ):
            lib.pysmpi_rest(min(left, _LONGEST_STEP))
    finally:
        lib.pysmpi_leave_call()
    return found


def wait_outside(look: Callable[[], T], timeout: float) -> T:
    """Wait as `poll_outside` does for something that a child process of the running rank may do.

    If a child has ended meanwhile, the wait lasts until the simulated time of its end.
    """
    if not has_children():
        return poll_outside(look, timeout)
    found = poll_outside(look, timeout, catch_up=True)
    if found:
        ends = {pid: lib.pysmpi_child_end(pid) for pid in _children.get(running_rank(), {})}
        left = [child.left(ends[pid]) for pid, child in _children.of_running(dict).items() if ends[pid] >= 0]
        if max(left, default=0.0) >= _LEAST:
            _sleep(max(left))
    return found


def _account() -> None:
    if lib.pysmpi_account_computation() != 0:
        raise RankStopped


def _sleep(seconds: float) -> None:
    if lib.pysmpi_sleep(seconds) != 0:
        raise RankStopped


def _begin(pid: int, really_began: float) -> None:
    global _count
    # No other rank may run here: the module that starts the child may be in the midst of a change for all ranks.
    _children.of_running(dict)[pid] = _Child(lib.pysmpi_own_time(), really_began)
    lib.pysmpi_watch_child(pid)
    _count += 1


def _forget(pid: int) -> None:
    _children.of_running(dict).pop(pid, None)
    lib.pysmpi_forget_child(pid)


def _install_starts(patches: Patches) -> None:
    import _posixsubprocess

    fork_exec = original_of(_posixsubprocess.fork_exec)

    def starting(original: Callable[..., Any]) -> Callable[..., Any]:
        def start(*arguments: Any, **named: Any) -> Any:
            if original is fork_exec and arguments[_ENVIRONMENT] is None and running_rank() >= 0:
                own = [name + b"=" + value for name, value in os.environb.items()]
                arguments = (*arguments[:_ENVIRONMENT], own, *arguments[_ENVIRONMENT + 1 :])
            really_began = lib.pysmpi_real_time()
            result = original(*arguments, **named)
            pid = result[0] if isinstance(result, tuple) else result
            if pid > 0 and running_rank() >= 0 and not _is_service:  # in a forked child, no rank runs
                _begin(pid, really_began)
            return result

        return start

    for owner, names in (
        (os, ("fork", "forkpty", "posix_spawn", "posix_spawnp")),
        (_posixsubprocess, ("fork_exec",)),
    ):
        for name in names:
            builtin = vars(owner).get(name)
            builtin = getattr(builtin, "__wrapped__", builtin)  # launch/watch.py wraps os.fork
            if builtin is not None:
                patches.set_builtin(builtin, starting(original_of(builtin)))

    real_system = original_of(os.system)

    def system(command: Any) -> int:
        if running_rank() < 0:
            return int(real_system(command))
        shell = ["sh", "-c", os.fsdecode(os.fspath(command))]
        pid = os.posix_spawn("/bin/sh", shell, dict(os.environ), setsigdef=[signal.SIGINT, signal.SIGQUIT])
        return os.waitpid(pid, 0)[1]

    patches.set_builtin(os.system, system)


def _is_running(pid: int, child: _Child) -> bool:
    """Return whether a child still runs in simulated time; first wait until its real run time has reached its simulated
    run time."""
    _account()
    try:
        now = lib.pysmpi_now()
        due = child.real_time_of(now)
        while (end := lib.pysmpi_await_child(pid, due)) < 0 and lib.pysmpi_real_time() < due:
            pass  # a signal has arrived
    finally:
        lib.pysmpi_leave_call()
    if end >= 0 and child.left(end) < _LEAST:
        return False
    if now - child.looked >= child.step or child.looked < 0:
        child.step = _FIRST_STEP
    else:  # the program does nothing but poll
        _sleep(child.step if end < 0 else min(child.step, child.left(end)))
        child.step = min(2 * child.step, _LONGEST_STEP)
    child.looked = lib.pysmpi_now()
    return True


def _await_any(children: dict[int, _Child]) -> int:
    """Wait until one of the children has ended in simulated time; return its process id."""
    step = _FIRST_STEP
    while True:
        _account()
        until = lib.pysmpi_now() + step
        try:
            due = max(child.real_time_of(until) for child in children.values())
            (lib.pysmpi_await_child if len(children) == 1 else _rest_until)(next(iter(children)), due)
            ends = {pid: end for pid in children if (end := lib.pysmpi_child_end(pid)) >= 0}
        finally:
            lib.pysmpi_leave_call()
        left = {pid: children[pid].left(end) for pid, end in ends.items()}
        if left:
            pid = min(left, key=left.__getitem__)
            if len(ends) == len(children) or left[pid] <= step:
                if left[pid] > 0:
                    _sleep(left[pid])
                return pid
        _sleep(step)
        step = min(2 * step, _LONGEST_STEP)


def _rest_until(_pid: int, due: float) -> None:
    lib.pysmpi_rest(due - lib.pysmpi_real_time())


def _ended(pid: int, *, waits: bool) -> int:
    """Return the process id of a child of the running rank that has ended, or 0 if none has and the call does not wait.

    Args:
        pid: process id of the child, or -1 for any child.
        waits: whether to wait until the child has ended.
    """
    mine = _children.get(running_rank(), {})
    candidates = mine if pid == -1 else {pid: mine[pid]}
    if not candidates:
        raise ChildProcessError(errno.ECHILD, os.strerror(errno.ECHILD))
    if waits:
        return _await_any(dict(candidates))
    for number, child in list(candidates.items()):
        if not _is_running(number, child):
            return number
    return 0


def _install_waits(patches: Patches) -> None:
    no_usage = resource.struct_rusage((0,) * 16)

    def of_id(original: Callable[..., Any], nothing: tuple[Any, ...]) -> Callable[..., Any]:
        """Return a replacement of os.waitpid or os.wait4, whose result for a running child is `nothing`."""

        def wait(pid: int, options: int) -> Any:
            if running_rank() < 0:
                return original(pid, options)
            if _is_quiet:
                return original(pid, options) if pid in _children.get(running_rank(), {}) else nothing
            if not _follows(pid) or options & ~os.WNOHANG:
                now = options & os.WNOHANG
                return original(pid, options) if now else _poll(lambda: original(pid, options | os.WNOHANG), nothing)
            ended = _ended(pid, waits=not options & os.WNOHANG)
            if ended == 0:
                return nothing
            _forget(ended)
            return original(ended, 0)

        return wait

    def without_id(function: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
        def wait(options: int = 0) -> Any:
            return function(-1, options) if running_rank() >= 0 else original(*([options] if options else []))

        return wait

    waitpid, wait4 = of_id(original_of(os.waitpid), (0, 0)), of_id(original_of(os.wait4), (0, 0, no_usage))
    patches.set_builtin(os.waitpid, waitpid)
    patches.set_builtin(os.wait4, wait4)
    patches.set_builtin(os.wait, without_id(waitpid, original_of(os.wait)))
    patches.set_builtin(os.wait3, without_id(wait4, original_of(os.wait3)))
    if hasattr(os, "waitid"):
        patches.set_builtin(os.waitid, _waitid(original_of(os.waitid)))


def _waitid(original: Callable[..., Any]) -> Callable[..., Any]:
    def wait(idtype: int, number: int, options: int, /) -> Any:
        pid = {os.P_PID: number, os.P_ALL: -1}.get(idtype, 0)
        if running_rank() < 0:
            return original(idtype, number, options)
        if not _follows(pid) or options & ~(os.WNOHANG | os.WNOWAIT) != os.WEXITED:
            if options & os.WNOHANG:
                return original(idtype, number, options)
            return poll_outside(lambda: original(idtype, number, options | os.WNOHANG), -1.0)
        ended = _ended(pid, waits=not options & os.WNOHANG)
        if ended == 0:
            return None
        if not options & os.WNOWAIT:
            _forget(ended)
        return original(os.P_PID, ended, options)

    return wait


def _follows(pid: int) -> bool:
    """Return whether `pid` is a child of the running rank, whose simulated end is known, or -1 for any child.

    Raises:
        ChildProcessError: the process is a child of another rank. The modules multiprocessing and subprocess, whose
            lists contain the children of all ranks, then ignore it.
    """
    if pid == -1 or pid in _children.get(running_rank(), {}):
        return True
    if any(pid in children for children in _children.values()):
        raise ChildProcessError(errno.ECHILD, os.strerror(errno.ECHILD))
    return False


def _poll(look: Callable[[], Any], nothing: tuple[Any, ...]) -> Any:
    found: Iterable[Any] | None = poll_outside(lambda: None if (seen := look())[0] == nothing[0] else seen, -1.0)
    return found


def _install_clean_up(patches: Patches) -> None:
    """Let the module subprocess look for processes that the program has dropped, without waiting for them.

    Its list of these processes contains those of all ranks; each rank waits only for its own.
    """

    def quiet(original: Callable[..., Any]) -> Callable[..., Any]:
        def clean_up(*arguments: Any, **named: Any) -> Any:
            global _is_quiet
            before, _is_quiet = _is_quiet, True
            try:
                return original(*arguments, **named)
            finally:
                _is_quiet = before

        return clean_up

    patches.set(subprocess, "_cleanup", quiet(subprocess._cleanup))  # type: ignore[attr-defined]
    patches.set(subprocess.Popen, "__del__", quiet(vars(subprocess.Popen)["__del__"]))
