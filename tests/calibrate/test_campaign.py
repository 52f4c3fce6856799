"""Tests of campaigns, which keep measurements and continue after an interruption."""

import gzip
import pathlib

import pytest

from pysmpi.calibrate import Campaign, Column
from pysmpi.errors import CalibrationError

COLUMNS = (Column("size", int, optional=True), Column("seconds", float))
TOLD = {"part": "blas", "host": "here", "options": "all", "date": "2026-01-01"}


def test_an_interrupted_campaign_goes_on(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "c.csv"
    with pytest.raises(KeyboardInterrupt), Campaign(file, COLUMNS, TOLD) as campaign:
        campaign.add({"size": 7, "seconds": 0.1 + 0.2})
        campaign.add({"seconds": 1e-9})
        raise KeyboardInterrupt
    with file.open("a") as half:
        half.write("9,0.")
    with Campaign(file, COLUMNS, {**TOLD, "date": "2026-01-02"}) as campaign:
        assert campaign.rows == [{"size": 7, "seconds": 0.1 + 0.2}, {"size": None, "seconds": 1e-9}]
        campaign.add({"size": 8, "seconds": 2.0})
        assert campaign.table().rows == campaign.rows
    assert file.read_text().endswith("size,seconds\n7,0.30000000000000004\n,1e-09\n8,2.0\n")


def test_a_file_that_has_only_begun_is_begun_again(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "c.csv"
    with Campaign(file, COLUMNS, TOLD) as campaign:
        assert file.read_text() == "# part: blas\n# host: here\n# options: all\n# date: 2026-01-01\nsize,seconds\n"
        campaign.add({"size": 1, "seconds": 3.0})
        assert file.read_text().endswith("\n1,3.0\n")


@pytest.mark.parametrize("key", ["part", "host", "options"])
def test_another_campaign_is_not_mixed_in(tmp_path: pathlib.Path, key: str) -> None:
    file = tmp_path / "c.csv"
    with Campaign(file, COLUMNS, TOLD) as campaign:
        campaign.add({"size": 1, "seconds": 3.0})
    before = file.read_bytes()
    with pytest.raises(CalibrationError, match=f"c.csv: measured with the {key} .* choose another --output"):
        Campaign(file, COLUMNS, {**TOLD, key: "other"})
    assert file.read_bytes() == before


def test_another_file_is_left_alone(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "c.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(CalibrationError, match=r"c\.csv:1: the column 'size' is missing"):
        Campaign(file, COLUMNS, TOLD)
    assert file.read_text() == "a,b\n1,2\n"


def test_a_compressed_campaign_is_left_alone(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "c.csv"
    file.write_bytes(before := gzip.compress(b"size,seconds\n1,3.0\n"))
    with pytest.raises(CalibrationError, match=r"c\.csv: a compressed table cannot be continued"):
        Campaign(file, COLUMNS, TOLD)
    assert file.read_bytes() == before


def test_two_processes_do_not_write_into_one(tmp_path: pathlib.Path) -> None:
    with (
        Campaign(tmp_path / "c.csv", COLUMNS, TOLD),
        pytest.raises(CalibrationError, match="another process is writing to the file"),
    ):
        Campaign(tmp_path / "c.csv", COLUMNS, TOLD)
    with pytest.raises(CalibrationError, match="cannot write the measurements"):
        Campaign(tmp_path / "none" / "c.csv", COLUMNS, TOLD)
