"""Locks between the threads of a rank.

All threads of ranks are greenlets of one interpreter thread, which a normal lock would block forever. While a thread
waits for a lock of this module, the engine runs other threads and ranks.
"""

import _thread
import time
from collections import deque
from typing import Any

from pysmpi.isolation.current import running_rank
from pysmpi.isolation.stopping import RankStopped
from pysmpi.native import lib

__all__ = ["RankLock", "RankRLock", "new_lock", "new_rlock", "wait_until_woken", "wake"]

_allocate_lock, _allocate_rlock = _thread.allocate_lock, _thread.RLock


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


class RankLock:
    """Replacement of `threading.Lock` in ranks; a released lock goes to the thread that has waited longest."""

    __slots__ = ("__weakref__", "_locked", "_waiting")

    def __init__(self) -> None:
        self._locked = False
        self._waiting: deque[int] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Acquire the lock, as `threading.Lock.acquire` does."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if not self._locked:
            self._locked = True
            return True
        if not blocking:
            return False
        if running_rank(depends=False) < 0:
            return self._acquire_in_child(timeout)
        me = lib.pysmpi_running_thread()
        self._waiting.append(me)
        try:
            if wait_until_woken(timeout):
                return True  # release() left the lock locked, now for this thread
        except RankStopped:
            if me not in self._waiting:
                self.release()
            raise
        finally:
            if me in self._waiting:
                self._waiting.remove(me)
        return False

    def _acquire_in_child(self, timeout: float) -> bool:
        """Acquire the lock in a child process, whose threads are real: queues inherit locks that the rank created."""
        end = time.monotonic() + timeout
        while self._locked:
            if timeout != -1 and time.monotonic() >= end:
                return False
            time.sleep(1e-4)
        self._locked = True
        return True

    def release(self) -> None:
        """Release the lock, as `threading.Lock.release` does."""
        if not self._locked:
            raise RuntimeError("release unlocked lock")
        while self._waiting:
            if wake(self._waiting.popleft()):
                return
        self._locked = False

    def locked(self) -> bool:
        """Return whether the lock is held."""
        return self._locked

    __enter__ = acquire

    def __exit__(self, *_: Any) -> None:
        self.release()

    def _at_fork_reinit(self) -> None:
        self._locked = False
        self._waiting.clear()


class RankRLock:
    """Replacement of `threading.RLock` in ranks."""

    __slots__ = ("__weakref__", "_block", "_count", "_owner")

    def __init__(self) -> None:
        self._block = RankLock()
        self._owner = -1
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Acquire the lock, as `threading.RLock.acquire` does."""
        me = lib.pysmpi_running_thread()
        if self._owner == me:
            self._count += 1
            return True
        if self._block.acquire(blocking, timeout):
            self._owner, self._count = me, 1
            return True
        return False

    def release(self) -> None:
        """Release the lock, as `threading.RLock.release` does."""
        if self._owner != lib.pysmpi_running_thread():
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if self._count == 0:
            self._owner = -1
            self._block.release()

    __enter__ = acquire

    def __exit__(self, *_: Any) -> None:
        self.release()

    # Methods that threading.Condition needs.

    def _is_owned(self) -> bool:
        return bool(self._owner == lib.pysmpi_running_thread())

    def _release_save(self) -> tuple[int, int]:
        state = self._count, self._owner
        self._count, self._owner = 0, -1
        self._block.release()
        return state

    def _acquire_restore(self, state: tuple[int, int]) -> None:
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
