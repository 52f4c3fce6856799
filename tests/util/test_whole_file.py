"""Tests of files that are written completely or not at all."""

from pathlib import Path

import pytest

from pysmpi.util.whole_file import write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "table"
    target.write_bytes(b"before")
    write_whole(target, b"after")
    assert target.read_bytes() == b"after" and list(tmp_path.iterdir()) == [target]


def test_a_file_that_cannot_take_its_place_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "folder", tmp_path / "missing" / "table", Path("/")):
        with pytest.raises(OSError, match=r"\[Errno"):
            write_whole(target, b"content")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]
