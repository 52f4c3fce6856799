"""Stopping of ranks: `RankStopped` is raised in a stopped rank, and each of its later MPI calls fails at once."""

from collections.abc import Callable
from typing import NoReturn

from pysmpi.native import ffi, lib

__all__ = ["RankStopped", "protected", "refuse", "register", "stop_all"]


class RankStopped(BaseException):
    """Exception that ends a stopped rank; ``except Exception`` does not catch it. Programs should not catch it."""


def register() -> None:
    """Register `RankStopped` as the exception that the engine raises in a rank to stop it."""
    lib.pysmpi_set_stop_exception(ffi.cast("void *", id(RankStopped)))


def refuse(problem: str) -> NoReturn:
    """End the simulation with an error, because the running rank does something that would give wrong results.

    Args:
        problem: text of the error, which the place in the program and the rank precede.

    Raises:
        RankStopped: always.
    """
    lib.pysmpi_refuse(problem.encode())
    raise RankStopped


def stop_all() -> None:
    """Stop every rank that has not ended."""
    for rank in range(lib.pysmpi_rank_count()):
        lib.pysmpi_stop_rank(rank)


def protected(rank: int, action: Callable[[int], None]) -> BaseException | None:
    """Call ``action(rank)``, and return the exception that it raised, or None.

    In a rank that is being stopped, RankStopped can be raised between any two instructions, once each time the rank is
    resumed. If the engine has requested this exception and the action ends before it is raised, the request is
    withdrawn, because the exception would be raised in the caller.
    """
    try:
        try:
            action(rank)
        finally:
            if lib.pysmpi_is_stopping(rank):
                lib.pysmpi_withdraw_stop()
    except BaseException as error:
        return error
    return None
