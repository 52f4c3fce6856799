"""Metrics that a program reports about itself, for results and the tables of studies."""

from collections.abc import Sequence
from numbers import Integral, Real

from pysmpi.native import lib

__all__ = ["Figure", "forget_reports", "report", "reported"]

Figure = int | float | str

_reported: dict[str, Figure] = {}
_of_programs: dict[int, dict[str, Figure]] = {}
_program_of: Sequence[int] = ()


def forget_reports(program_of: Sequence[int]) -> None:
    """Forget all metrics at the start of a simulation.

    Args:
        program_of: program number of each rank; spawned ranks are appended.
    """
    global _program_of
    _reported.clear()
    _of_programs.clear()
    _program_of = program_of


def reported(program: int | None = None) -> dict[str, Figure]:
    """Return the metrics reported in this simulation, by name, in order of their first report.

    Args:
        program: number of a program, to return only what its ranks have reported, or None for all programs.
    """
    return dict(_reported if program is None else _of_programs.get(program, {}))


def report(**figures: Figure) -> None:
    """Report metrics of the program: ``pysmpi.report(seconds=t, iterations=n)``.

    Any rank may call this function any number of times; the last value of a name counts. ``reported`` of the
    simulation's result holds the metrics, and a study's table has a column for each. In a real run and outside ranks,
    the call has no effect.

    Raises:
        TypeError: a value is neither a number nor a text.
    """
    for name, figure in figures.items():
        if isinstance(figure, str):
            value: Figure = str(figure)
        elif isinstance(figure, Integral):
            value = int(figure)
        elif isinstance(figure, Real):
            value = float(figure)
        else:
            raise TypeError(f"pysmpi.report({name}={figure!r}): give a number or a text")
        if (rank := lib.pysmpi_running_rank()) >= 0:
            _reported[name] = value
            _of_programs.setdefault(_program_of[rank], {})[name] = value
