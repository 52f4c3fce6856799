"""Figures that a program gives about itself, for studies to put into their table."""

from numbers import Integral, Real

from pysmpi.compute.execution import is_simulated

__all__ = ["Figure", "forget_reports", "report", "reported"]

Figure = int | float | str

_reported: dict[str, Figure] = {}


def forget_reports() -> None:
    """A simulation begins."""
    _reported.clear()


def reported() -> dict[str, Figure]:
    """What has been reported in this simulation, by name, in the order of the first reports."""
    return dict(_reported)


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
        if is_simulated():
            _reported[name] = value
