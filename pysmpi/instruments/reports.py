"""Figures that a program gives about itself, for studies to put into their table."""

from collections.abc import Sequence
from numbers import Integral, Real

from pysmpi.native import lib

__all__ = ["Figure", "forget_reports", "report", "reported"]

Figure = int | float | str

_reported: dict[str, Figure] = {}
_of_programs: dict[int, dict[str, Figure]] = {}
_program_of: Sequence[int] = ()


def forget_reports(program_of: Sequence[int]) -> None:
    """A simulation begins.

    Args:
        program_of: by rank, which program it runs; it may grow.
    """
    global _program_of
    _reported.clear()
    _of_programs.clear()
    _program_of = program_of


def reported(program: int | None = None) -> dict[str, Figure]:
    """What has been reported in this simulation, by name, in the order of the first reports.

    Args:
        program: by the ranks that run this one; None: by any.
    """
    return dict(_reported if program is None else _of_programs.get(program, {}))


def report(**figures: Figure) -> None:
    """Tells figures of the program's own: ``pysmpi.report(seconds=t, iterations=n)``.

    Any rank may call it, any number of times: what is reported last of a name holds. The result of the simulation has
    them in ``reported``, the table of a study in a column each. In a real run, and outside ranks, nothing happens.

    Raises:
        TypeError: a figure is neither a number nor a text.
    """
    for name, figure in figures.items():
        if isinstance(figure, str):
            value: Figure = str(figure)
        elif isinstance(figure, Integral):
            value = int(figure)
        elif isinstance(figure, Real):
            value = float(figure)
        else:
            raise TypeError(f"pysmpi.report({name}={figure!r}): a figure is a number or a text")
        if (rank := lib.pysmpi_running_rank()) >= 0:
            _reported[name] = value
            _of_programs.setdefault(_program_of[rank], {})[name] = value
