"""Errors of MPI that a program did not catch."""

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType

from pysmpi.simulation.instruments.check import Finding
from pysmpi.simulation.instruments.outcome import Ending, RankOutcome
from pysmpi.util.traceback_text import is_ours

__all__ = ["uncaught"]


def uncaught(outcomes: Iterable[RankOutcome], known: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding for each rank that ended with an uncaught MPI error, unless `known` has one for the same source
    line."""
    from mpi4py import MPI  # bound to the simulator while ranks run

    for outcome in outcomes:
        error = outcome.exception
        if outcome.ending is not Ending.RAISED or not isinstance(error, MPI.Exception):
            continue
        place = _place(error.__traceback__)
        if place is not None and any(place in finding.places for finding in known):
            continue
        where = f" at {place}" if place is not None else ""
        text = f"rank {outcome.rank} has not caught an error{where}: {str(error).splitlines()[0]}"
        yield Finding("mpi-error", text, (outcome.rank,), (place,) if place is not None else ())


def _place(traceback: TracebackType | None) -> str | None:
    """Return ``file:line`` of the innermost line of the program in a traceback, without lines of pysmpi, or None."""
    place = None
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if not is_ours(name):
            place = f"{name}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
