"""Packages import only packages that pysmpi/README.md lists after them, also inside functions."""

import ast
import pathlib
import re
from collections.abc import Iterator

PACKAGE = pathlib.Path(__file__).parents[1] / "pysmpi"
ORDER = re.findall(r"^\| `(\w+)/`", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
ORDER.insert(ORDER.index("native"), "errors")
ORDER.append("source_tree")
# The package itself offers functions of all layers, so only the uppermost ones may use it.
MAY_IMPORT_PYSMPI = {"cli", "testing"}


def imports() -> Iterator[tuple[str, str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        layer = path.relative_to(PACKAGE).with_suffix("").parts[0]
        for node in ast.walk(ast.parse(path.read_text())):
            modules: list[str] = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}:{node.lineno}: a relative import"
                assert node.module is not None
                modules = [f"pysmpi.{alias.name}" for alias in node.names] if node.module == "pysmpi" else [node.module]
            for module in modules:
                parts = module.split(".")
                if parts[0] == "pysmpi" and layer != "__init__":
                    yield f"{path.relative_to(PACKAGE.parent)}:{node.lineno}", layer, ".".join(parts[1:2])


def test_every_package_has_a_place() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert packages | modules == set(ORDER)


def test_imports_point_downward() -> None:
    upward = []
    for place, layer, imported in imports():
        allowed = ORDER.index(layer) <= ORDER.index(imported) if imported else layer in MAY_IMPORT_PYSMPI
        if not allowed:
            upward.append(f"{place}: {layer} imports {imported or 'pysmpi'}")
    assert not upward, "\n".join(upward)
