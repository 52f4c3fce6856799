"""A small machine for studies."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # small_study, which test files share

from small_study import PLATFORM, PROGRAM, STUDY


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A study of two points in study.toml, with its program and its platform."""
    (tmp_path / "machine.xml").write_text(PLATFORM)
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("size = 100_000\n")
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path
