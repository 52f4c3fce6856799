"""Metrics that a program reports about itself, for results and the tables of studies."""

from collections.abc import Mapping, Sequence
from numbers import Integral, Real

from pysmpi.errors import unknown
from pysmpi.native import lib
from pysmpi.util.directions import parse_better

__all__ = ["Figure", "declared_better", "figure_of", "forget_reports", "report", "reported"]

Figure = int | float | str

_reported: dict[str, Figure] = {}
_of_programs: dict[int, dict[str, Figure]] = {}
_better: dict[str, str] = {}
_program_of: Sequence[int] = ()


def forget_reports(program_of: Sequence[int]) -> None:
    """Forget all metrics at the start of a simulation.

    Args:
        program_of: program number of each rank; spawned ranks are appended.
    """
    global _program_of
    _reported.clear()
    _of_programs.clear()
    _better.clear()
    _program_of = program_of


def reported(program: int | None = None) -> dict[str, Figure]:
    """Return the metrics reported in this simulation, by name, in order of their first report.

    Args:
        program: number of a program, to return only what its ranks have reported, or None for all programs.
    """
    return dict(_reported if program is None else _of_programs.get(program, {}))


def declared_better() -> dict[str, str]:
    """Return "more" or "less" for each metric whose better direction was declared in this simulation, by name."""
    return dict(_better)


def report(*, better: str | Mapping[str, str] | None = None, **figures: Figure) -> None:
    """Report metrics of the program: ``pysmpi.report(seconds=t, iterations=n)``.

    Any rank may call this function any number of times; the last value of a name counts. ``reported`` of the
    simulation's result holds the metrics, and a study's table has a column for each. In a real run and outside ranks,
    the call has no effect.

    Args:
        better: "more" if larger values of these metrics are better, "less" if smaller ones are, or a mapping from names
            of these metrics to "more" or "less". Commands that compare values, such as ``pysmpi study pareto``, use it.
            With None, the metric's name decides: less of ``seconds`` and more of ``gflops`` is better.
        figures: the metrics, by name.

    Raises:
        TypeError: a value is neither a number nor a string.
        ValueError: `better` is not valid, or names a metric that this call does not report.
    """
    for name, direction in _directions(better, figures).items():
        if lib.pysmpi_running_rank() >= 0:
            _better[name] = direction
    for name, figure in figures.items():
        try:
            value = figure_of(figure)
        except TypeError as error:
            raise TypeError(f"pysmpi.report({name}={figure!r}): {error}") from None
        if (rank := lib.pysmpi_running_rank()) >= 0:
            _reported[name] = value
            _of_programs.setdefault(_program_of[rank], {})[name] = value


def figure_of(value: object) -> Figure:
    """Return a number or a string as a plain int, float or str.

    Raises:
        TypeError: the value is neither a number nor a string.
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError("give a number or a string")


def _directions(better: str | Mapping[str, str] | None, figures: Mapping[str, Figure]) -> dict[str, str]:
    """Return the direction of each metric that `better` declares.

    Raises:
        ValueError: a direction or a name is not valid.
    """
    if better is None:
        return {}
    if not isinstance(better, Mapping):
        return dict.fromkeys(figures, parse_better(better, "pysmpi.report(better=…)"))
    for name in better:
        if name not in figures:
            raise ValueError(f"pysmpi.report(better=…): {unknown('metric', name, figures)}")
    return {name: parse_better(direction, f"pysmpi.report(better=…): {name}") for name, direction in better.items()}
