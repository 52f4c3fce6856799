"""Figures of the source tree's structure, and the bounds that they keep."""

import pathlib
from collections.abc import Callable
from types import ModuleType

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """Return the tool as a module."""
    return load_tool("structure")


def test_no_files_import_each_other_in_a_circle(tool: ModuleType) -> None:
    assert tool.circles(tool.imports_of_files(tool.modules(ROOT))) == []


def test_few_modules_share_a_name(tool: ModuleType) -> None:
    assert len(tool.names_twice(tool.modules(ROOT).values())) <= 30
    assert [name for name in tool.names_twice_in_wings(ROOT) if not name.startswith("calibrate/")] == []


# Lazy and type-only imports, and names of modules in strings, close a circle of six files and of three rooms.
TEXTS = {
    "__init__": "",
    "a/__init__": "",
    "a/one": "from pysmpi.a import two",
    "a/two": "def f():\n    from pysmpi.b.one import name",
    "b/__init__": "",
    "b/one": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pysmpi.b.two",
    "b/two": "module = 'pysmpi.c.one'",
    "c/__init__": "",
    "c/one": "main = 'pysmpi.c.two:main'\nothers = 'pysmpi.execute', 'see pysmpi.b.one'",
    "c/two": "import importlib\nimportlib.import_module('pysmpi.a.one')",
}


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return the root of a small source tree."""
    for name, text in TEXTS.items():
        path = tmp_path / "pysmpi" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")
    return tmp_path


def test_every_way_to_import_counts(tool: ModuleType, tree: pathlib.Path) -> None:
    files = tool.modules(tree)
    graph = tool.imports_of_files(files)
    assert tool.circles(graph) == [[f"pysmpi.{room}.{name}" for room in "abc" for name in ("one", "two")]]
    rooms = tool.arrows(files, graph)
    assert rooms == {"a": {"b"}, "b": {"c"}, "c": {"a"}}
    assert tool.circles(rooms) == [["a", "b", "c"]]


def test_the_table_is_printed(
    tool: ModuleType, tree: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["structure.py", str(tree), "--members"])
    monkeypatch.setattr(tool, "complex_functions", lambda root: ["two.py: `f` is too complex (21 > 20)"])
    assert tool.main() == 0
    printed = capsys.readouterr().out
    for row in ("rooms | 3", "arrows between rooms | 3", "circles of rooms | 1 (of 3)", "circles of files | 1 (of 6)",
                "functions above complexity 20 | 1", "module names that occur twice or more | 2",
                "lines of source | 15"):  # fmt: skip
        assert f"\n| {row} |\n" in printed
    assert "\ntwo: pysmpi/a/two.py, pysmpi/b/two.py, pysmpi/c/two.py\n" in printed
