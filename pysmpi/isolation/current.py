"""The rank that runs, and what Python keeps for each rank that has anything of its own."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any, TypeVar

from pysmpi.native import ffi, lib

__all__ = [
    "Private",
    "begin",
    "forget",
    "forget_all",
    "isolate_absence",
    "isolate_entry",
    "running_rank",
    "shared_by_all",
]

T = TypeVar("T")

_native_running: Callable[[], int] = lib.pysmpi_running_rank
_thread_of_ranks = 0
_shared_depth = 0


def running_rank() -> int:
    """The rank whose code runs; -1 outside ranks, in other threads, and while a module that all share is imported."""
    return -1 if _shared_depth or get_ident() != _thread_of_ranks else _native_running()


def begin() -> None:
    """The ranks are about to run in the calling thread."""
    global _thread_of_ranks
    _thread_of_ranks = get_ident()


def _in_child_process() -> None:
    """A rank has forked: the child is a process of its own, in which no rank runs."""
    global _thread_of_ranks
    _thread_of_ranks = 0


os.register_at_fork(after_in_child=_in_child_process)


@contextmanager
def shared_by_all() -> Iterator[None]:
    """What happens inside holds for all ranks, as if it had happened before they began."""
    global _shared_depth
    _shared_depth += 1
    try:
        yield
    finally:
        _shared_depth -= 1


class Private(dict[int, T]):
    """A value for each rank that has its own, by rank; all of them are forgotten when the rank ends."""

    _all: "list[Private[Any]]" = []  # noqa: RUF012  (one list for the class is what is meant)

    def __init__(self) -> None:
        super().__init__()
        Private._all.append(self)

    def of_running(self, make: Callable[[], T]) -> T:
        """The running rank's value, made when it has none."""
        rank = running_rank()
        found = self.get(rank)
        if found is None:
            found = self[rank] = make()
        return found


def forget(rank: int) -> None:
    """Drops what the rank had of its own; it has ended."""
    for each in Private._all:
        if each:
            each.pop(rank, None)
    lib.pysmpi_isolation_forget(rank)


def forget_all() -> None:
    """Drops what any rank had of its own; the simulation has ended."""
    for each in Private._all:
        each.clear()


def isolate_entry(rank: int, dictionary: dict[Any, Any], key: str, value: object) -> None:
    """From now on the rank has its own ``dictionary[key]``, at first with this value."""
    lib.pysmpi_isolate_entry(rank, _pointer(dictionary), _pointer(sys.intern(key)), _pointer(value))


def isolate_absence(rank: int, dictionary: dict[Any, Any], key: str) -> None:
    """The same where the rank has no such key at first."""
    lib.pysmpi_isolate_entry(rank, _pointer(dictionary), _pointer(sys.intern(key)), ffi.NULL)


def _pointer(value: object) -> Any:
    return ffi.cast("void *", id(value))
