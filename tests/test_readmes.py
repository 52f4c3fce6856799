"""The lists of folders in pysmpi/README.md and pysmpi/native/README.md match the tree, and includes point downwards."""

import pathlib
import re

import pytest

SOURCES = pathlib.Path(__file__).parents[1] / "pysmpi"
NATIVE = SOURCES / "native"


def listed(readme: pathlib.Path) -> list[str]:
    return re.findall(r"^\| `(\w+)/`", readme.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("folder", [SOURCES, NATIVE], ids=["python", "native"])
def test_every_folder_has_a_line(folder: pathlib.Path) -> None:
    present = {path.name for path in folder.iterdir() if path.is_dir() and any(path.glob("*.*"))} - {"__pycache__"}
    assert sorted(listed(folder / "README.md")) == sorted(present)


def test_native_includes_point_downwards() -> None:
    level = {name: number for number, name in enumerate(listed(NATIVE / "README.md"))}
    upward = [
        f"{path.relative_to(NATIVE)} includes {folder}/"
        for path in sorted(NATIVE.rglob("*.*"))
        if path.suffix in {".cpp", ".hpp", ".h"}
        for folder in re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE)
        if folder in level and level[folder] < level[path.relative_to(NATIVE).parts[0]]
    ]
    assert upward == []
