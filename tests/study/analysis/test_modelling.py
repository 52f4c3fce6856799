"""Measurements for formulas, taken from a study's table."""

import itertools

import pytest

from pysmpi.errors import StudyError
from pysmpi.study.analysis.modelling import changing_algorithms, modelled_columns, series_of
from pysmpi.study.results_table import Cell, Table


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
    given = table(**{"requirement.flops": 1, "requirement.memory.other": 1, "requirement.memory.other.max": 1})
    assert modelled_columns(given) == ["requirement.flops"]
    assert modelled_columns(given, "memory.other") == ["requirement.memory.other", "requirement.memory.other.max"]


@pytest.mark.parametrize(
    ("given", "column", "message"),
    [
        (table(), "simulated_tim", "unknown metric or column 'simulated_tim'; did you mean 'simulated_time'?"),
        (table(**{"requirement.flops": 1}), "flosp", "unknown metric or column 'flosp'; did you mean 'flops'?"),
        (table(), "metric.x", "column 'metric.x' has no numbers"),
        (table(status="failed"), "simulated_time", "no point of the study is finished"),
        (Table(table().rows[:1], ("ranks",)), "simulated_time", "no factor has several values in the finished points"),
        (Table([{**row, "mapping": str(row["ranks"]) + "x?"} for row in table()], ("mapping",)), "simulated_time",
         "factor 'mapping' has the value '4x\\?'; formulas need numbers"),
        (Table([{**row, "size": number} for number, row in enumerate(table())], ("size",)), "simulated_time",
         "factor 'size' has the value 0; formulas need values above 0"),
    ],
)  # fmt: skip
def test_errors(given: Table, column: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        series_of(given, [column])


def test_changing_algorithms() -> None:
    """Barriers are the same at all points; allreduces change at 16 ranks."""
    rows: list[dict[str, Cell]] = [
        {"ranks": ranks, "status": "done", "requirement.algorithm.Allreduce": "rdb" if ranks < 16 else "lr",
         "requirement.algorithm.Barrier": "tree", "requirement.sent.bytes": 1, "requirement.sent.bytes.Barrier": 0}
        for ranks in (4, 8, 16)
    ]  # fmt: skip
    given = Table(rows, ["ranks"])
    expected = "Allreduce by lr at p = 16 and rdb at p = 4, 8"
    for column in ("requirement.sent.bytes", "requirement.received.messages.Allreduce.max"):
        assert changing_algorithms(given, column) == expected
    for column in ("requirement.sent.bytes.Barrier", "requirement.flops", "simulated_time"):
        assert changing_algorithms(given, column) == ""


def test_columns_of_places() -> None:
    rows: list[dict[str, Cell]] = [
        {"ranks": 4, "status": "done", "requirement.sent.bytes": 1, "requirement.sent.bytes@solve.py:1": 1,
         "requirement.distance@a.py:2, result": 1, "requirement.distance.low@a.py:2, result": 1}
    ]  # fmt: skip
    given = Table(rows, ["ranks"])
    assert modelled_columns(given) == ["requirement.sent.bytes"]
    assert modelled_columns(given, by_place=True) == [
        "requirement.sent.bytes@solve.py:1", "requirement.distance@a.py:2, result"
    ]  # fmt: skip
    assert modelled_columns(given, "distance.low", by_place=True) == ["requirement.distance.low@a.py:2, result"]
