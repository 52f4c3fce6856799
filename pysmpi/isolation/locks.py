"""Locks between the threads of a rank. Threads of ranks are greenlets of one interpreter thread, which a lock of the
interpreter would block for good; these have the engine run something else meanwhile.
"""

import _thread
import time
from collections import deque
from typing import Any

from pysmpi.isolation.current import running_rank
from pysmpi.launch.stopping import RankStopped
from pysmpi.native import lib

__all__ = ["RankLock", "RankRLock", "new_lock", "new_rlock", "wait_until_woken", "wake"]

_allocate_lock, _allocate_rlock = _thread.allocate_lock, _thread.RLock


def wait_until_woken(seconds: float = -1.0) -> bool:
    """The running thread does nothing until it is woken (True) or the time has passed (False; never when negative).

    Raises:
        RankStopped: the rank is being stopped.
    """
    ended: int = lib.pysmpi_thread_wait(seconds)
    if ended < 0:
        raise RankStopped
    return ended > 0


def wake(thread: int) -> bool:
    """Wakes a thread of the running rank; False when it does not wait any more."""
    return bool(lib.pysmpi_thread_wake(thread))


class RankLock:
    """What threading.Lock() is in ranks. Released, it goes to the thread that has waited longest."""

    __slots__ = ("__weakref__", "_locked", "_waiting")

    def __init__(self) -> None:
        self._locked = False
        self._waiting: deque[int] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As of threading.Lock."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if not self._locked:
            self._locked = True
            return True
        if not blocking:
            return False
        if running_rank() < 0:
            return self._acquire_in_child(timeout)
        me = lib.pysmpi_running_thread()
        self._waiting.append(me)
        try:
            if wait_until_woken(timeout):
                return True  # the lock is still locked, for this thread now
        except RankStopped:
            if me not in self._waiting:
                self.release()
            raise
        finally:
            if me in self._waiting:
                self._waiting.remove(me)
        return False

    def _acquire_in_child(self, timeout: float) -> bool:
        """In a child process, whose threads are real, of a lock that the rank has made: queues have such."""
        end = time.monotonic() + timeout
        while self._locked:
            if timeout != -1 and time.monotonic() >= end:
                return False
            time.sleep(1e-4)
        self._locked = True
        return True

    def release(self) -> None:
        """As of threading.Lock."""
        if not self._locked:
            raise RuntimeError("release unlocked lock")
        while self._waiting:
            if wake(self._waiting.popleft()):
                return
        self._locked = False

    def locked(self) -> bool:
        """As of threading.Lock."""
        return self._locked

    __enter__ = acquire

    def __exit__(self, *_: Any) -> None:
        self.release()

    def _at_fork_reinit(self) -> None:
        self._locked = False
        self._waiting.clear()


class RankRLock:
    """What threading.RLock() is in ranks."""

    __slots__ = ("__weakref__", "_block", "_count", "_owner")

    def __init__(self) -> None:
        self._block = RankLock()
        self._owner = -1
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As of threading.RLock."""
        me = lib.pysmpi_running_thread()
        if self._owner == me:
            self._count += 1
            return True
        if self._block.acquire(blocking, timeout):
            self._owner, self._count = me, 1
            return True
        return False

    def release(self) -> None:
        """As of threading.RLock."""
        if self._owner != lib.pysmpi_running_thread():
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if self._count == 0:
            self._owner = -1
            self._block.release()

    __enter__ = acquire

    def __exit__(self, *_: Any) -> None:
        self.release()

    # What threading.Condition asks of a lock.

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
    """What threading.Lock() gives: in ranks one of ours, elsewhere the interpreter's."""
    return _allocate_lock() if running_rank() < 0 else RankLock()


def new_rlock() -> Any:
    """The same of threading.RLock()."""
    return _allocate_rlock() if running_rank() < 0 else RankRLock()
