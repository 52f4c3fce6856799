"""docs/contributing.md: its paths exist, and the version stands where the page says."""

import pathlib
import re
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`([\w.-]+(?:/[\w.-]+)*/[\w-]+\.\w+)`", PAGE)))


def test_paths_are_found() -> None:
    assert "native/base/options.hpp" in PATHS
    assert "tests/test_models_page.py" in PATHS


@pytest.mark.parametrize("path", PATHS)
def test_path_exists(path: str) -> None:
    """NAME, OPERATION and WING stand for any name."""
    pattern = re.sub(r"\b(NAME|OPERATION|WING)\b", "*", re.sub("^native/", "pysmpi/native/", path))
    assert any(ROOT.glob(pattern))


def test_version_of_citation() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [project["version"]]
