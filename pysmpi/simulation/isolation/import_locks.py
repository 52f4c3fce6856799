"""Locks of the import system, which let a thread wait while another thread imports the same module: one set per rank.

CPython identifies the owner of such a lock by the thread of the interpreter, which is the same for all ranks and their
threads. With CPython's locks, a second thread of a rank would therefore not wait, and would get an unfinished module.
"""

import importlib._bootstrap
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.locks import RankRLock
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

_bootstrap: Any = importlib._bootstrap


class _ImportLock(RankRLock):
    """Lock of one module in one rank, while the rank imports this module."""

    __slots__ = ("_name",)

    _blocked: Private[dict[int, "_ImportLock"]] = Private()  # the lock that a thread waits for, by the thread's number

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def acquire(self, *_: Any) -> bool:
        """Acquire the lock.

        Raises:
            _DeadlockError: the threads that import the module wait for modules that this thread imports.
        """
        blocked = self._blocked.of_running(dict)
        me = lib.pysmpi_running_thread()
        lock: _ImportLock | None = self
        while lock is not None and lock.owner != me:
            lock = blocked.get(lock.owner)
        if lock not in {None, self}:
            raise _bootstrap._DeadlockError(f"deadlock detected by the lock of module {self._name!r}")
        blocked[me] = self
        try:
            return super().acquire()
        finally:
            del blocked[me]
            if not blocked:  # an empty dictionary would take 224 bytes in each rank
                del self._blocked[running_rank()]

    def release(self) -> None:
        """Release the lock and forget it if no thread needs it."""
        super().release()
        if not self.is_in_use():
            locks = _locks.of_running(dict)
            locks.pop(self._name, None)
            if not locks:
                del _locks[running_rank()]


_locks: Private[dict[str, _ImportLock]] = Private()


def install(patches: Patches) -> None:
    """Give each rank its own locks of the import system."""
    real_get = _bootstrap._get_module_lock

    def get_module_lock(name: str) -> Any:
        if running_rank(depends=False) < 0:
            return real_get(name)
        locks = _locks.of_running(dict)
        if name not in locks:
            locks[name] = _ImportLock(name)
        return locks[name]

    patches.set(_bootstrap, "_get_module_lock", get_module_lock)
