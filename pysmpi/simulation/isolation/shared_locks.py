"""Locks of the interpreter that ranks use: each rank has its own state of them, as each process has.

Modules that all ranks share create such locks when they are imported, and other modules use the module ``_thread``
directly. If a rank blocked in such a lock, the whole process would block, including the rank that holds the lock.
Therefore the methods of the interpreter's classes for locks and for reentrant locks are replaced, and what a rank does
with a lock is recorded for this rank only. The lock itself stays as it was before the simulation, or as threads of the
interpreter leave it.
"""

import _thread
import threading
from typing import Any

from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.locks import RankLock, RankRLock
from pysmpi.simulation.isolation.outside import poll_outside
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

_Lock, _RLock = type(_thread.allocate_lock()), _thread.RLock
_OF_LOCKS = ("acquire", "acquire_lock", "__enter__", "release", "release_lock", "__exit__", "locked", "locked_lock")
_OF_RLOCKS = (
    "acquire", "__enter__", "release", "__exit__", "locked",
    "_is_owned", "_release_save", "_acquire_restore", "_recursion_count",
)  # fmt: skip
_RELEASING = ("release", "__exit__", "_release_save")
_OF_CONDITIONS = ("acquire", "release", "_is_owned", "_release_save", "_acquire_restore")

# Each rank's own state of a lock, by the lock's id(). The lock is stored too, so that its id is not used again.
_locks: Private[dict[int, tuple[Any, RankLock]]] = Private()
_rlocks: Private[dict[int, tuple[Any, RankRLock]]] = Private()


def install(patches: Patches) -> None:
    """Give each rank its own state of the interpreter's locks."""
    _install_locks(patches)
    _install_rlocks(patches)
    for name in _OF_CONDITIONS:
        patches.set(threading.Condition, name, _MethodOfLock(name, vars(threading.Condition).get(name)))


def _install_locks(patches: Patches) -> None:
    real_acquire, real_release, real_locked = _Lock.acquire, _Lock.release, _Lock.locked

    def acquire(self: Any, blocking: bool = True, timeout: float = -1) -> bool:
        rank = running_rank(depends=False)
        if rank < 0:
            return real_acquire(self, blocking, timeout)
        locks = _locks.of_running(dict)
        if id(self) not in locks:
            if real_locked(self):
                return blocking and poll_outside(lambda: is_free(self) and acquire(self, False), timeout)
            locks[id(self)] = self, RankLock()
        return locks[id(self)][1].acquire(blocking, timeout)

    def is_free(self: Any) -> bool:
        """Return whether the rank need not wait for the interpreter's lock: it is unlocked, or the rank has its own
        state of it."""
        return id(self) in _locks.of_running(dict) or not real_locked(self)

    def release(self: Any, *_: Any) -> None:
        if running_rank(depends=False) < 0:
            real_release(self)
            return
        locks = _locks.of_running(dict)
        if id(self) not in locks:
            own = RankLock()
            if real_locked(self):
                own.acquire()
            locks[id(self)] = self, own
        own = locks[id(self)][1]
        own.release()
        if not own.is_in_use() and not real_locked(self):
            locks.pop(id(self), None)

    def locked(self: Any) -> bool:
        own = _locks.get(running_rank(depends=False), {}).get(id(self))
        return real_locked(self) if own is None else own[1].locked()

    for name in _OF_LOCKS:
        method = release if name in {"release", "release_lock", "__exit__"} else locked if "locked" in name else acquire
        patches.set_method(_Lock, name, method)


def _install_rlocks(patches: Patches) -> None:
    is_owned = _RLock._is_owned  # type: ignore[attr-defined]

    def of_rank(name: str) -> Any:
        original = getattr(_RLock, name)

        def call(self: Any, *arguments: Any, **named: Any) -> Any:
            if running_rank(depends=False) < 0:
                return original(self, *arguments, **named)
            locks = _rlocks.of_running(dict)
            # If a shared import acquired the interpreter's lock and the module has become private since, the rank
            # releases this lock.
            if name in _RELEASING and id(self) not in locks and is_owned(self):
                return original(self, *arguments, **named)
            own = locks.setdefault(id(self), (self, RankRLock()))[1]
            result = getattr(own, name)(*arguments, **named)
            if not own.is_in_use():
                locks.pop(id(self), None)
            return result

        return call

    for name in _OF_RLOCKS:
        if hasattr(_RLock, name):
            patches.set_method(_RLock, name, of_rank(name))


class _MethodOfLock:
    """Method of threading.Condition that calls the method with the same name of the condition's lock.

    Conditions store bound methods of their lock when they are created, possibly before this module has replaced the
    methods. This object therefore looks the method up at each call.
    """

    def __init__(self, name: str, otherwise: Any) -> None:
        self._name = name
        self._otherwise = otherwise

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self._otherwise
        found = getattr(instance._lock, self._name, None)
        return found if found is not None else self._otherwise.__get__(instance)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self._name] = value
