"""Tests of reading tables of measurements."""

import csv
import gzip
import pathlib

import pytest

from pysmpi.calibrate import Column, read_table
from pysmpi.errors import CalibrationError

COLUMNS = (Column("call", str, choices=("send", "recv")), Column("bytes", int), Column("seconds", float))


def test_provenance_rows_and_their_places(tmp_path: pathlib.Path) -> None:
    """Lines with # are provenance, empty lines are ignored, other columns are dropped, and places are file lines."""
    file = tmp_path / "t.csv"
    file.write_text("# part: network\n# cpu: a, b: c\ncall,more,bytes,seconds\n\nsend,x,8,1e-6\nrecv,y,0,0.5\n")
    table = read_table(file, COLUMNS)
    assert table.provenance == {"part": "network", "cpu": "a, b: c"}
    assert table.rows == [{"call": "send", "bytes": 8, "seconds": 1e-6}, {"call": "recv", "bytes": 0, "seconds": 0.5}]
    assert [table.place(index) for index in (0, 1)] == [f"{file}:5", f"{file}:6"]


def test_long_cells(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"call,more,bytes,seconds\nsend,{'1e-6 ' * 100_000},8,1e-6\n")
    limit = csv.field_size_limit()
    assert read_table(file, COLUMNS).rows == [{"call": "send", "bytes": 8, "seconds": 1e-6}]
    assert csv.field_size_limit() == limit  # the program's own


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("# part: network\ncall,bytes,seconds\nsend,8,1e-6\nsend,8,1")
    table = read_table(file, COLUMNS)
    assert len(table.rows) == 1
    assert file.read_bytes()[: table.whole].endswith(b"1e-6\n")


def test_tables_of_other_programs(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b"\xef\xbb\xbfcall,bytes,seconds\r\nsend,8,1e-6\r\nsend,8,1")
    assert [row["seconds"] for row in read_table(file, COLUMNS).rows] == [1e-6, 1.0]


def test_compressed_tables(tmp_path: pathlib.Path) -> None:
    """Places are lines of the expanded file, and a damaged file is refused."""
    file = tmp_path / "t.csv.gz"
    compressed = gzip.compress(b"# part: network\ncall,bytes,seconds\nsend,8,1e-6\n", mtime=0)
    file.write_bytes(compressed)
    table = read_table(file, COLUMNS)
    assert (table.rows, table.place(0)) == ([{"call": "send", "bytes": 8, "seconds": 1e-6}], f"{file}:3")
    for damaged in (compressed[:-9], compressed[:12] + b"\xff" + compressed[13:], compressed[:3]):
        file.write_bytes(damaged)
        with pytest.raises(CalibrationError, match=r"t\.csv\.gz: cannot expand the compressed file"):
            read_table(file, COLUMNS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "call,bytes\n",
            r"t.csv:1: the column 'seconds' is missing \(needed: call, bytes, seconds; found: call, bytes",
        ),
        ("# a: b\ncall,bytes,bytes,seconds\n", "t.csv:2: duplicate column 'bytes'"),
        ("call,bytes,seconds\nsend,8,-1e-6\n", "t.csv:2: seconds: -1e-6 is not valid; write a number of at least 0"),
        ("call,bytes,seconds\nsend,8,nan\n", "t.csv:2: seconds: nan is not valid"),
        ("call,bytes,seconds\nsend,8,inf\n", "t.csv:2: seconds: inf is not valid"),
        ("call,bytes,seconds\nsend,1.5,1\n", "t.csv:2: bytes: '1.5' is not a whole number"),
        ("call,bytes,seconds\nsend,8,fast\n", "t.csv:2: seconds: 'fast' is not a number"),
        ("call,bytes,seconds\nsend,8,\n", "t.csv:2: seconds: '' is not a number"),
        ("call,bytes,seconds\nsent,8,1\n", "t.csv:2: call: unknown value 'sent'; did you mean 'send'"),
        ("call,bytes,seconds\nsend,8\n", "t.csv:2: the line has 2 values for 3 columns"),
        ("", "t.csv: the header line with the column names is missing"),
        ("# only: provenance\n", "t.csv: the header line with the column names is missing"),
    ],
)
def test_what_is_wrong(tmp_path: pathlib.Path, text: str, message: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    with pytest.raises(CalibrationError, match=message):
        read_table(file, COLUMNS)


def test_no_file_and_no_text(tmp_path: pathlib.Path) -> None:
    with pytest.raises(CalibrationError, match=r"cannot read the measurements '.*none.csv': No such file"):
        read_table(tmp_path / "none.csv", COLUMNS)
    (tmp_path / "t.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(CalibrationError, match="not a UTF-8 text"):
        read_table(tmp_path / "t.csv", COLUMNS)
