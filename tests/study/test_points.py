"""Points: what makes one run again."""

import pathlib

import pytest
from small_study import PLATFORM, STUDY

from pysmpi.study import Study


def keys(folder: pathlib.Path) -> list[str]:
    """Of the study's points."""
    return [point.key for point in Study.read(folder / "study.toml").plan()]


@pytest.mark.parametrize("name", ["program.py", "helper.py", "data.txt", "profile.txt"])
def test_changed_files(folder: pathlib.Path, name: str) -> None:
    """The program, a module that it imports, a file among its arguments, and one that the platform names."""
    (folder / "data.txt").write_text("1")
    (folder / "profile.txt").write_text("0 1\n")
    (folder / "machine.xml").write_text(
        PLATFORM.replace("</platform>", '<trace id="t" file="profile.txt"/></platform>')
    )
    (folder / "study.toml").write_text('arguments = ["data.txt"]\n' + STUDY)
    before = keys(folder)
    (folder / name).write_text((folder / name).read_text() + "\n# other\n")
    after = keys(folder)
    assert not set(before) & set(after)
    assert len(set(after)) == 2


def test_what_changes_nothing(folder: pathlib.Path) -> None:
    """Neither other files, nor more points, nor another place, nor a timeout make points run again."""
    before = keys(folder)
    (folder / "other.py").write_text("x = 1\n")
    text = STUDY.replace('"10GBps"]', '"10GBps", "100GBps"]')
    (folder / "study.toml").write_text("timeout = 5\n" + text)
    elsewhere = folder.rename(folder.with_name(folder.name + "-moved"))
    assert keys(elsewhere)[:2] == before
    elsewhere.rename(folder)
