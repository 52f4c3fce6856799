"""pysmpi examples: a folder with everything that comes with pysmpi."""

import pathlib

import pytest

from pysmpi.cli.main import main
from pysmpi.util.shipped import SHIPPED


def test_the_folder_is_whole(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "examples"
    assert main(["examples", str(folder)]) == 0
    assert sorted(each.name for each in folder.iterdir()) == sorted(SHIPPED)
    assert all(name in capsys.readouterr().out or (folder / name).is_dir() for name in SHIPPED)
    assert (folder / "apps" / "hpl" / "hpl.py").is_file()
    assert (folder / "notebook" / "first_steps.ipynb").is_file()
    assert not list(folder.rglob("__pycache__"))


def test_nothing_is_overwritten(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("")
    assert main(["examples", str(tmp_path)]) == 2
    assert "already exists and is not an empty directory" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]
