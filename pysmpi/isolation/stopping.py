"""Stopping of ranks: each later MPI call of a stopped rank fails at once, and `RankStopped` is raised in it."""

from collections.abc import Callable

from pysmpi.native import ffi, lib

__all__ = ["RankStopped", "protected", "register", "stop_all"]


class RankStopped(BaseException):
    """Exception that ends a stopped rank; handlers of ordinary errors do not catch it. Programs should not catch it."""


def register() -> None:
    """Register `RankStopped` as the exception that the engine raises."""
    lib.pysmpi_set_stop_exception(ffi.cast("void *", id(RankStopped)))


def stop_all() -> None:
    """Stop every rank that has not ended."""
    for rank in range(lib.pysmpi_rank_count()):
        lib.pysmpi_stop_rank(rank)


def protected(rank: int, action: Callable[[int], None]) -> BaseException | None:
    """Call ``action(rank)``, and return the exception that it raised, or None.

    In a rank that is being stopped, RankStopped can be raised between any two instructions, once each time the rank is
    resumed. If an exception is still pending after the action, it is withdrawn, so that the caller does not get it.
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
