"""Tests of calibration files, which are written completely or not at all."""

import pathlib

import pytest

from pysmpi.calibrate.outputs import write_whole
from pysmpi.errors import CalibrationError


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: pathlib.Path) -> None:
    (tmp_path / "model.json").mkdir()
    with pytest.raises(CalibrationError, match=r"cannot write '.*model\.json': Is a directory"):
        write_whole(tmp_path / "model.json", "{}")
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]
