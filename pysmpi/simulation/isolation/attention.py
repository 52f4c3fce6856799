"""Ranks in an interactive debugger: they use the terminal directly, and simulated time stands still for them."""

from collections.abc import Iterator
from contextlib import contextmanager

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import running_rank

__all__ = ["attended", "has_attention", "unmeasured"]

_attended: list[int] = []  # ranks in a debugger; a person talks to the last one
_unmeasured: set[int] = set()  # ranks in which a debugger is working


def has_attention() -> bool:
    """Return whether the running rank is in an interactive debugger."""
    return bool(_attended) and _attended[-1] == running_rank()


@contextmanager
def attended() -> Iterator[None]:
    """Mark the running rank as being in an interactive debugger, inside this context."""
    _attended.append(running_rank())
    try:
        with unmeasured():
            yield
    finally:
        _attended.pop()


@contextmanager
def unmeasured() -> Iterator[None]:
    """Let the code inside this context take no simulated time, except for the MPI calls in it."""
    rank = running_rank()
    if rank < 0 or rank in _unmeasured:
        yield
        return
    _unmeasured.add(rank)
    begun = lib.pysmpi_begin_exclusion()
    try:
        yield
    finally:
        _unmeasured.discard(rank)
        lib.pysmpi_end_exclusion(begun)
