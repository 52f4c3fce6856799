"""How ranks are stopped: each further MPI call of theirs fails at once, and this is raised in them."""

from collections.abc import Callable

from pysmpi.native import ffi, lib

__all__ = ["RankStopped", "protected", "register", "stop_all"]


class RankStopped(BaseException):
    """Ends a rank that is being stopped, and is swallowed by nothing that only expects errors. Not to be caught."""


def register() -> None:
    """Tells the engine what to raise."""
    lib.pysmpi_set_stop_exception(ffi.cast("void *", id(RankStopped)))


def stop_all() -> None:
    """Stops every rank that has not ended."""
    for rank in range(lib.pysmpi_rank_count()):
        lib.pysmpi_stop_rank(rank)


def protected(rank: int, action: Callable[[int], None]) -> BaseException | None:
    """Calls the action with the rank and returns what it raised; afterwards RankStopped is not raised any more.

    It may be raised between any two instructions of a rank that is being stopped, once each time the rank is resumed.
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
