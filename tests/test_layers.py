"""Packages import only packages that pysmpi/README.md lists after them, also inside functions and by strings."""

import ast
import pathlib
import re
from collections.abc import Iterator

PACKAGE = pathlib.Path(__file__).parents[1] / "pysmpi"
ORDER = re.findall(r"^\| `([\w/]+)/`", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
INSIDE = [name for name in ORDER if "/" in name]
ORDER = [each for name in ORDER if "/" not in name for each in ([*INSIDE, name] if name == "simulation" else [name])]
ORDER.insert(ORDER.index("native"), "errors")
ORDER.append("source_tree")
# The package itself offers functions of all layers, so only the uppermost ones may use it.
MAY_IMPORT_PYSMPI = {"cli", "testing"}
MODULE = re.compile(r"pysmpi(\.[a-z_]+)+")


def layer_of(parts: tuple[str, ...] | list[str]) -> str:
    """Return the layer of a module by the parts of its name below pysmpi; an empty text for the package itself."""
    inside = "/".join(parts[:2])
    return inside if inside in INSIDE else parts[0] if parts and parts[0] in ORDER else ""


def modules_in(node: ast.AST, place: str) -> list[str]:
    """Return the modules that a node of a program names."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            assert node.level == 0, f"{place}: a relative import"
            assert node.module is not None
            is_above = node.module in ("pysmpi", "pysmpi.simulation")
            return [f"{node.module}.{alias.name}" for alias in node.names] if is_above else [node.module]
        case ast.Constant(str(text)) if MODULE.match(text) and " " not in text and text.split(".")[1] in ORDER:
            return [text]
    return []


def imports() -> Iterator[tuple[str, str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text())):
            place = f"{path.relative_to(PACKAGE.parent)}:{getattr(node, 'lineno', 0)}"
            for module in modules_in(node, place):
                first, *rest = module.split(".")
                if first == "pysmpi" and parts[0] != "__init__":
                    yield place, layer_of(parts), layer_of(rest)


def test_every_package_has_a_place() -> None:
    packages = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("*/__init__.py")}
    packages |= {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("simulation/*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert packages | modules == set(ORDER)


def test_imports_point_downward() -> None:
    upward = []
    for place, layer, imported in imports():
        allowed = ORDER.index(layer) <= ORDER.index(imported) if imported else layer in MAY_IMPORT_PYSMPI
        if not allowed:
            upward.append(f"{place}: {layer} imports {imported or 'pysmpi'}")
    assert not upward, "\n".join(upward)
