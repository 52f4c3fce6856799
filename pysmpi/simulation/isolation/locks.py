"""Locks between the threads of a rank.

All threads of ranks are greenlets of one interpreter thread, which a normal lock would block forever. While a thread
waits for a lock of this module, the engine runs other threads and ranks. Locks can outlive the simulation, for example
in a logging handler; after it, they work between threads of the interpreter.
"""

import _thread
import threading
import time
from collections import deque
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import in_thread_of_ranks, running_rank
from pysmpi.simulation.isolation.looks import look, started
from pysmpi.simulation.isolation.stopping import RankStopped

__all__ = ["RankLock", "RankRLock", "new_lock", "new_rlock", "pass_on_released", "wait_until_woken", "wake"]

_allocate_lock, _allocate_rlock = _thread.allocate_lock, _thread.RLock
_real_sleep, _real_ident = time.sleep, threading.get_ident


def wait_until_woken(seconds: float = -1.0) -> bool:
    """Suspend the running thread until it is woken or a time has passed.

    Args:
        seconds: longest wait in seconds; negative to wait without limit.

    Returns:
        True if the thread was woken, False if the time has passed.

    Raises:
        RankStopped: the rank is being stopped.
    """
    ended: int = lib.pysmpi_thread_wait(seconds)
    if ended < 0:
        raise RankStopped
    return ended > 0


def wake(thread: int) -> bool:
    """Wake a thread of the running rank; return False if it is not waiting any more."""
    return bool(lib.pysmpi_thread_wake(thread))


def _running_thread() -> int:
    """Return the number of the running thread of a rank, or a negative number for a thread of the interpreter."""
    number: int = lib.pysmpi_running_thread()
    return number if number >= 0 else -_real_ident()


class RankLock:
    """Replacement of `threading.Lock` in ranks; a released lock goes to the thread that has waited longest."""

    __module__ = "_thread"  # some programs, such as trio, check this name
    __slots__ = ("__weakref__", "_locked", "_waiting")

    def __init__(self) -> None:
        self._locked = False
        self._waiting: list[int] = []  # a deque would take 600 bytes in each rank, since mpi4py has a lock

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Acquire the lock, as `threading.Lock.acquire` does."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if started:
            look()
        if not self._locked:
            self._locked = True
            return True
        if not blocking:
            return False
        if running_rank(depends=False) < 0:
            return self._acquire_outside(timeout)
        me = lib.pysmpi_running_thread()
        self._waiting.append(me)
        try:
            if wait_until_woken(timeout):
                return True  # release() left the lock locked, now for this thread
            if not self._locked:  # another thread of the interpreter has released it meanwhile
                self._locked = True
                return True
        except RankStopped:
            if me not in self._waiting:
                self.release()
            raise
        finally:
            if me in self._waiting:
                self._waiting.remove(me)
        return False

    def _acquire_outside(self, timeout: float) -> bool:
        """Acquire the lock in a child process that a rank has forked, or after the simulation.

        Threads are threads of the interpreter there, so that a waiting thread can sleep until another one releases the
        lock.
        """
        end = time.monotonic() + timeout
        while self._locked:
            if timeout != -1 and time.monotonic() >= end:
                return False
            _real_sleep(1e-4)
        self._locked = True
        return True

    def release(self) -> None:
        """Release the lock, as `threading.Lock.release` does."""
        if not self._locked:
            raise RuntimeError("release unlocked lock")
        if self._waiting and not in_thread_of_ranks():
            self._locked = False
            _released_elsewhere.append(self)
            return
        while self._waiting:
            if wake(self._waiting.pop(0)):
                return
        self._locked = False

    def pass_on(self) -> bool:
        """Give the released lock to the thread of a rank that has waited longest; return whether a thread waits."""
        if self._locked:
            return False
        self._locked = True
        while self._waiting:
            if wake(self._waiting.pop(0)):
                return True
        self._locked = False
        return False

    def locked(self) -> bool:
        """Return whether the lock is held."""
        if started:
            look()
        return self._locked

    def is_in_use(self) -> bool:
        """Return whether the lock is held.

        This call does not count as polling (see `pysmpi.simulation.isolation.looks`).
        """
        return self._locked

    __enter__ = acquire

    def __exit__(self, *_: Any) -> None:
        self.release()

    def _at_fork_reinit(self) -> None:
        self._locked = False
        self._waiting.clear()


# Locks that other threads of the interpreter have released while ranks waited for them. Only the thread of the ranks
# may call the engine, so it wakes these ranks later (`pass_on_released`).
_released_elsewhere: deque[RankLock] = deque()


def pass_on_released() -> bool:
    """Wake the ranks that wait for locks which other threads of the interpreter have released; return whether there
    are any."""
    woken = False
    while _released_elsewhere:
        woken = _released_elsewhere.popleft().pass_on() or woken
    return woken


class RankRLock:
    """Replacement of `threading.RLock` in ranks."""

    __module__ = "_thread"
    __slots__ = ("__weakref__", "_block", "_count", "_owner")

    def __init__(self) -> None:
        self._block = RankLock()
        self._owner: int | None = None
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Acquire the lock, as `threading.RLock.acquire` does."""
        me = _running_thread()
        if self._owner == me:
            if started:
                look()
            self._count += 1
            return True
        if me < 0 and self._owner is not None and self._owner >= 0:  # its owner is a rank that failed
            self._at_fork_reinit()
        if self._block.acquire(blocking, timeout):
            self._owner, self._count = me, 1
            return True
        return False

    def release(self) -> None:
        """Release the lock, as `threading.RLock.release` does."""
        if self._owner != _running_thread():
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if self._count == 0:
            self._owner = None
            self._block.release()

    __enter__ = acquire

    def __exit__(self, *_: Any) -> None:
        self.release()

    def locked(self) -> bool:
        """Return whether a thread holds the lock."""
        return self._block.locked()

    def is_in_use(self) -> bool:
        """Return whether a thread holds the lock or is about to get it. This call does not count as polling (see
        `pysmpi.simulation.isolation.looks`)."""
        return self._block.is_in_use()

    @property
    def owner(self) -> int:
        """Number of the thread that holds the lock, or -1."""
        return -1 if self._owner is None else self._owner

    # Methods that threading.Condition needs.

    def _is_owned(self) -> bool:
        return self._owner == _running_thread()

    def _release_save(self) -> tuple[int, int | None]:
        state = self._count, self._owner
        self._count, self._owner = 0, None
        self._block.release()
        return state

    def _acquire_restore(self, state: tuple[int, int | None]) -> None:
        self._block.acquire()
        self._count, self._owner = state

    def _recursion_count(self) -> int:
        return self._count if self._is_owned() else 0

    def _at_fork_reinit(self) -> None:
        self.__init__()  # type: ignore[misc]


def new_lock() -> Any:
    """Return the result of `threading.Lock()`: a `RankLock` in ranks, else a lock of the interpreter."""
    return _allocate_lock() if running_rank(depends=False) < 0 else RankLock()


def new_rlock() -> Any:
    """Return the result of `threading.RLock()`: a `RankRLock` in ranks, else a lock of the interpreter."""
    return _allocate_rlock() if running_rank(depends=False) < 0 else RankRLock()
