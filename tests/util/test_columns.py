"""Tests of columns of text."""

from pysmpi.util.columns import aligned


def test_columns_stand_one_under_the_other() -> None:
    rows = [("link", "latency", ""), ("a-long-name", "1 us", "FATPIPE"), ("b", "10 us", "")]
    assert aligned(rows, right=[1], indent="  ") == [
        "  link         latency",
        "  a-long-name     1 us  FATPIPE",
        "  b              10 us",
    ]
    assert aligned([]) == []
