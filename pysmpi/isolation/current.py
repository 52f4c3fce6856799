"""The running rank, and Python state that is private to ranks."""

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
    "tracked_for_all",
]

T = TypeVar("T")

_native_running: Callable[[], int] = lib.pysmpi_running_rank
_thread_of_ranks = 0
_shared_depth = 0


def running_rank() -> int:
    """Return the running rank, or -1 outside ranks, in other threads, and while a shared module is imported."""
    return -1 if _shared_depth or get_ident() != _thread_of_ranks else _native_running()


def begin() -> None:
    """Register the calling thread as the one in which all ranks run."""
    global _thread_of_ranks
    _thread_of_ranks = get_ident()


# A rank that forks gets a child process in which no rank runs.
def _in_child_process() -> None:
    global _thread_of_ranks
    _thread_of_ranks = 0
    lib.pysmpi_enter_child_process()


os.register_at_fork(after_in_child=_in_child_process)


@contextmanager
def shared_by_all() -> Iterator[None]:
    """Let changes of Python state inside this context apply to all ranks, as if made before the ranks began."""
    global _shared_depth
    _shared_depth += 1
    try:
        with tracked_for_all():
            yield
    finally:
        _shared_depth -= 1


@contextmanager
def tracked_for_all() -> Iterator[None]:
    """Give the garbage collector the objects that belong to no rank, and let new objects belong to none."""
    before = lib.pysmpi_garbage_of(-1)
    try:
        yield
    finally:
        lib.pysmpi_garbage_of(before)


class Private(dict[int, T]):
    """One value per rank, created at the rank's first use and dropped when the rank ends."""

    _all: "list[Private[Any]]" = []  # noqa: RUF012  (shared by all instances on purpose)

    def __init__(self) -> None:
        super().__init__()
        Private._all.append(self)

    def of_running(self, make: Callable[[], T]) -> T:
        """Return the running rank's value; create it if the rank has none."""
        rank = running_rank()
        found = self.get(rank)
        if found is None:
            found = self[rank] = make()
        return found


def forget(rank: int) -> None:
    """Drop all private state of a rank that has ended."""
    for each in Private._all:
        if each:
            each.pop(rank, None)
    lib.pysmpi_isolation_forget(rank)


def forget_all() -> None:
    """Drop the private Python state of all ranks, because the simulation has ended."""
    for each in Private._all:
        each.clear()


def isolate_entry(rank: int, dictionary: dict[Any, Any], key: str, value: object) -> None:
    """Make ``dictionary[key]`` private to the rank, with `value` as its initial value."""
    lib.pysmpi_isolate_entry(rank, _pointer(dictionary), _pointer(sys.intern(key)), _pointer(value))


def isolate_absence(rank: int, dictionary: dict[Any, Any], key: str) -> None:
    """Make ``dictionary[key]`` private to the rank, and missing for this rank until the rank sets it."""
    lib.pysmpi_isolate_entry(rank, _pointer(dictionary), _pointer(sys.intern(key)), ffi.NULL)


def _pointer(value: object) -> Any:
    return ffi.cast("void *", id(value))
