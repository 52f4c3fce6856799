"""Tests of files that are written completely or not at all."""

import os
from pathlib import Path

import pytest

from pysmpi.util.whole_file import NewFile, whole_file, write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "table"
    target.write_bytes(b"before")
    write_whole(target, b"after")
    assert target.read_bytes() == b"after" and list(tmp_path.iterdir()) == [target]


def test_links_are_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    for name in ("table", "table.part"):
        (tmp_path / name).symlink_to("victim")
    write_whole(tmp_path / "table", b"content")
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "table").is_symlink() and (tmp_path / "table").read_bytes() == b"content"


def test_an_error_leaves_the_former_file(tmp_path: Path) -> None:
    target = tmp_path / "table"
    target.write_bytes(b"before")
    with pytest.raises(KeyError), whole_file(target) as file:
        file.write(b"half")
        raise KeyError
    assert target.read_bytes() == b"before" and list(tmp_path.iterdir()) == [target]


def test_two_writers_of_one_file(tmp_path: Path) -> None:
    first, second = NewFile(tmp_path / "table"), NewFile(tmp_path / "table")
    first.partial.write_bytes(b"first")
    second.partial.write_bytes(b"second")
    second.keep()
    first.keep()
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("table", b"first")]


def test_devices_and_pipes_are_written_to(tmp_path: Path) -> None:
    write_whole("/dev/null", b"content")
    assert Path("/dev/null").is_char_device()
    reading, writing = os.pipe()
    write_whole(f"/dev/fd/{writing}", b"content")
    os.close(writing)
    assert os.read(reading, 100) == b"content"
    os.close(reading)
    with pytest.raises(OSError, match="No space left"):
        write_whole("/dev/full", b"content")


def test_long_names_and_permissions(tmp_path: Path) -> None:
    target = tmp_path / ("é" * 120)
    mask = os.umask(0o027)
    try:
        write_whole(target, b"content")
    finally:
        os.umask(mask)
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_take_its_place_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "folder", tmp_path / "missing" / "table", Path("/")):
        with pytest.raises(OSError, match=r"\[Errno"):
            write_whole(target, b"content")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]
