"""Measurements for formulas, taken from a study's table."""

import itertools

import pytest

from pysmpi.errors import StudyError
from pysmpi.study.analysis.modelling import modelled_columns, series_of
from pysmpi.study.table import Cell, Table


def table(**changes: Cell) -> Table:
    rows = [
        {"ranks": ranks, "platform.bw": bw, "mapping": "random", "status": "done", "simulated_time": ranks * time,
         "metric.x": None, **changes}
        for ranks, bw, time in itertools.product((4, 8), ("1GBps", "2GBps"), (1.0, 3.0))
    ]  # fmt: skip
    return Table(rows, ("ranks", "platform.bw", "mapping"))


def test_parameters_and_replicates() -> None:
    """Ranks are p, factors with units are numbers, factors with one value are none, replicates share a point."""
    parameters, (series,) = series_of(table(), ["simulated_time"])
    assert parameters == ["p", "platform.bw"]
    assert series.points == [(4, 1e9), (4, 2e9), (8, 1e9), (8, 2e9)]
    assert series.values == [[4, 12], [4, 12], [8, 24], [8, 24]] and series.means == [8, 8, 16, 16]


def test_columns() -> None:
    assert modelled_columns(table()) == ["simulated_time", "metric.x"]
    assert modelled_columns(table(**{"requirement.flops": 1})) == ["requirement.flops"]


@pytest.mark.parametrize(
    ("given", "column", "message"),
    [
        (table(), "simulated_tim", "unknown column 'simulated_tim'; did you mean 'simulated_time'?"),
        (table(), "metric.x", "column 'metric.x' has no numbers"),
        (table(status="failed"), "simulated_time", "no factor has several values in the finished points"),
        (Table([{**row, "mapping": str(row["ranks"]) + "x?"} for row in table()], ("mapping",)), "simulated_time",
         "factor 'mapping' has the value '4x\\?'; formulas need numbers"),
    ],
)  # fmt: skip
def test_errors(given: Table, column: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        series_of(given, [column])
