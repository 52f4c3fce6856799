"""Tests of tables: selection and output."""

import csv
import pathlib

import pytest

from pysmpi.errors import StudyError
from pysmpi.study import Table

ROWS = [
    {"point": 1, "ranks": 2, "mapping": "random", "status": "done", "simulated_time": 1.5, "metric.x": 1,
     "energy": None, "link_energy": None},
    {"point": 2, "ranks": 4, "mapping": "a,b", "status": "failed", "simulated_time": None, "metric.x": 2.5,
     "energy": None, "link_energy": None},
]  # fmt: skip
TABLE = Table(ROWS, ("ranks",))


def test_parquet(tmp_path: pathlib.Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    TABLE.write(tmp_path / "t.parquet")
    table = parquet.read_table(tmp_path / "t.parquet")
    assert table.to_pylist() == ROWS
    assert table.schema.metadata[b"varied"] == b"ranks"


def test_csv(tmp_path: pathlib.Path) -> None:
    TABLE.write(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["mapping"] for row in rows] == ["random", "a,b"]
    assert [row["simulated_time"] for row in rows] == ["1.5", ""]


def test_selection() -> None:
    assert [row["point"] for row in TABLE.where(ranks=4)] == [2]
    assert [row["point"] for row in TABLE.done()] == [1]
    assert TABLE.metrics == ["simulated_time", "metric.x"]
    with pytest.raises(StudyError, match="did you mean 'simulated_time'"):
        TABLE.column("simulatedtime")


@pytest.mark.parametrize(
    ("name", "message"), [("t.xls", "unknown format"), ("missing/t.csv", "folder '.*missing' does not exist")]
)
def test_where_it_cannot_be_written(tmp_path: pathlib.Path, name: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        TABLE.write(tmp_path / name)


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_figures_that_no_column_holds(tmp_path: pathlib.Path, name: str) -> None:
    pytest.importorskip("pyarrow")
    rows = [{"point": 1, "metric.x": 10**30, "error": "bad \udcff"}, {"point": 2, "metric.x": 3, "error": None}]
    Table(rows).write(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    assert str(10**30).encode() in content
    assert b"bad \\udcff" in content
