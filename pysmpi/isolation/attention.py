"""The rank that a person talks to, in a debugger: its standard streams are the terminal, and no time passes for it."""

from collections.abc import Iterator
from contextlib import contextmanager

from pysmpi.isolation.current import running_rank
from pysmpi.native import lib

__all__ = ["attended", "has_attention", "unmeasured"]

_attended: list[int] = []  # ranks; the last one is being talked to
_unmeasured: set[int] = set()  # ranks in whose computation a debugger is at work


def has_attention() -> bool:
    """Whether the running rank is being talked to."""
    return bool(_attended) and _attended[-1] == running_rank()


@contextmanager
def attended() -> Iterator[None]:
    """The running rank is being talked to."""
    _attended.append(running_rank())
    try:
        with unmeasured():
            yield
    finally:
        _attended.pop()


@contextmanager
def unmeasured() -> Iterator[None]:
    """What happens inside is not the rank's computation; the MPI calls in there take their time."""
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
