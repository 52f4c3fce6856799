"""Tests of the store: results are complete, and a full disk loses none."""

import errno
import os
import pathlib

import pytest

from pysmpi.errors import StudyError
from pysmpi.study.inputs import program_files
from pysmpi.study.store import Store, write_whole


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error gives a remedy, stored results are kept, and no incomplete file is left."""
    store = Store(tmp_path)
    with store.locked():
        store.write("a", {"status": "done"})

        def full(file: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        for key in ("a", "b"):
            with pytest.raises(StudyError, match="No space left on device; free some space and run the study again"):
                store.write(key, {"status": "other"})
    assert store.read("a") == {"status": "done"}
    assert store.read("b") is None
    assert [each.name for each in (tmp_path / "points").iterdir()] == ["a.json"]


def test_what_is_damaged_is_missing(tmp_path: pathlib.Path) -> None:
    store = Store(tmp_path)
    with store.locked():
        for text in ("", '{"status": "do', "[]", "{}", '{"status": "done", "reported": {"x": [1]}}'):
            (tmp_path / "points" / "a.json").write_text(text)
            assert store.read("a") is None


def test_one_at_a_time(tmp_path: pathlib.Path) -> None:
    store = Store(tmp_path)
    with store.locked(), pytest.raises(StudyError, match="another process"), Store(tmp_path).locked():
        pass
    with store.locked():
        pass


def test_no_such_place(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match=r"cannot store results in .*file"), Store(tmp_path / "file").locked():
        pass
    with pytest.raises(StudyError, match="cannot write"):
        write_whole(tmp_path / "missing" / "x", b"")


@pytest.mark.parametrize(
    "text",
    ["", "[1]", '{"status": 3}', '{"status": "failed", "reported": [1]}', '{"status": "weird"}',
     '{"status": "done", "versions": null}'],
)  # fmt: skip
def test_what_is_no_result(tmp_path: pathlib.Path, text: str) -> None:
    store = Store(tmp_path)
    (tmp_path / "points").mkdir()
    (tmp_path / "points" / "a.json").write_text(text)
    assert store.read("a") is None


def test_what_cannot_be_read_or_removed(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    assert store.count() == 0
    (tmp_path / "points" / "x.part").mkdir(parents=True)  # which cannot be removed as files are
    with pytest.raises(StudyError, match=r"cannot store results in '.*': "), store.locked():
        pass
    (tmp_path / "points" / "x.part").rmdir()
    store.write("a", {"status": "done"})

    def refused(path: pathlib.Path, **_: str) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as context:
        context.setattr(pathlib.Path, "read_text", refused)
        context.setattr(pathlib.Path, "read_bytes", refused)
        with pytest.raises(StudyError, match=r"cannot read '.*a.json': Permission denied"):
            store.read("a")
        (tmp_path / "program.py").write_text("")
        with pytest.raises(StudyError, match=r"cannot read '.*program.py': Permission denied"):
            program_files(tmp_path / "program.py")
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "points").write_text("")
    with pytest.raises(StudyError, match=r"cannot read '.*points': Not a directory"):
        Store(tmp_path / "file").count()
