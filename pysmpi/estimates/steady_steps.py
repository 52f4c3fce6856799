"""Steady steps of a run: the repetition in the sequence of executed statements that covers most of the computation.

Example: the statements A B C B C D with B and C writing the same elements each time have the step B C, twice. Inner
loops that write other elements in each iteration are no steps.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pysmpi.errors import did_you_mean
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.record import Array
from pysmpi.estimates.recorder import Recorder

__all__ = ["Steps", "find_steps"]

_TRIED = 64  # largest number of step lengths that are tried
_LEAST_COVERED = 0.3  # least share of the computation that is in the steps


@dataclass(frozen=True)
class Steps:
    """Steps of a run, such as time steps: the repeated part of its sequence of executed statements.

    Attributes:
        bounds: index, in the sequence of executed statements, at which each step begins, and the end of the last one.
    """

    bounds: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of steps."""
        return len(self.bounds) - 1

    @property
    def last(self) -> tuple[int, int]:
        """Positions at which the last step begins and ends in the order of execution."""
        return self.bounds[-2], self.bounds[-1]


def find_steps(recorder: Recorder, events: Array, work: Array, steady: str | None = None) -> Steps | None:
    """Find the steps of a run: the repetition in its sequence of statements that covers most computation.

    Returns None if nothing is repeated, or if less than 30 % of the computation is.

    Args:
        recorder: recorder of the run.
        events: (computations) number of the execution that a computation belongs to.
        work: (computations) its floating-point operations.
        steady: statement that begins each step, as ``file:line``, or None to find the repetition.
    """
    executed = np.array(recorder.executed, np.int64)
    statements = np.array(recorder.statement, np.int64)[executed]
    if steady is not None:
        return _from_statement(recorder, statements, steady)
    symbols = np.unique(
        np.stack([statements, np.array(recorder.mark, np.int64)[executed]], 1), axis=0, return_inverse=True
    )[1]
    symbols = symbols.reshape(-1)
    done = np.concatenate([[0.0], np.cumsum(np.bincount(events, work, minlength=len(recorder.statement))[executed])])
    if len(symbols) < 2:
        return None
    best: tuple[float, int, int, int] | None = None  # covered work, -length, begin, end
    for length in _lengths(symbols):
        for begin, last in _runs(symbols[:-length] == symbols[length:], length):
            end = last + length
            first = end - (end - begin) // length * length
            covered = float(done[end] - done[first])
            if best is None or (covered, -length) > best[:2]:
                best = covered, -length, first, end
    if best is None or best[0] < _LEAST_COVERED * done[-1]:
        return None
    return Steps(tuple(range(best[2], best[3] + 1, -best[1])))


def _lengths(symbols: Array) -> list[int]:
    """Return the 64 most likely lengths of a step, sorted: the shifts by which a sequence resembles itself most.

    Args:
        symbols: for each execution of a statement a number, equal if the statement and the assigned elements are.
    """
    count = len(symbols)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(4, int(symbols.max()) + 1))[:, symbols]
    spectrum = np.abs(np.fft.rfft(signs, 2 * count)) ** 2
    alike = np.fft.irfft(spectrum.sum(axis=0), 2 * count)[: count // 2 + 1] / (count - np.arange(count // 2 + 1))
    return sorted(int(each) for each in np.argsort(-alike[1:], kind="stable")[:_TRIED] + 1)


def _runs(equal: Array, least: int) -> list[tuple[int, int]]:
    """Return the first index, and the last one plus one, of each row of at least `least` true elements in a mask."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], equal.astype(np.int8), [0]])))
    begins, ends = edges[::2], edges[1::2]
    enough = ends - begins >= least
    return list(zip(begins[enough].tolist(), ends[enough].tolist(), strict=True))


def _from_statement(recorder: Recorder, statements: Array, steady: str) -> Steps:
    places = [each.place for each in recorder.statements]
    name = Path(steady).name
    if name not in places:
        raise EstimateError(
            f"--steady: {steady!r} is not a statement that computes with arrays{did_you_mean(name, places)} "
            f"(valid: {', '.join(places[:12])})"
        )
    begins = np.flatnonzero(statements == places.index(name))
    begins = begins[np.concatenate([[True], np.diff(begins) > 1])]
    if len(begins) < 2:
        raise EstimateError(
            f"--steady: {steady!r} is executed only once (executions in a row count as one); give the first statement "
            "of the loop over the steps, or leave out --steady to let pysmpi find the steps"
        )
    return Steps(tuple(int(each) for each in begins))
