"""How ranks are stopped: each further MPI call of theirs fails at once, and this is raised in them."""

from pysmpi.native import ffi, lib

__all__ = ["RankStopped", "register", "stop_all"]


class RankStopped(BaseException):
    """Ends a rank that is being stopped, and is swallowed by nothing that only expects errors. Not to be caught."""


def register() -> None:
    """Tells the engine what to raise."""
    lib.pysmpi_set_stop_exception(ffi.cast("void *", id(RankStopped)))


def stop_all() -> None:
    """Stops every rank that has not ended."""
    for rank in range(lib.pysmpi_rank_count()):
        lib.pysmpi_stop_rank(rank)
