"""Print figures of the source tree's structure: rooms, arrows, circles, complexity, names that occur twice, lines.

    python tools/structure.py [ROOT] [--members]

ROOT is the root of a clone (default: this one). A room is a package directly under pysmpi/. An arrow says that one
room imports another. Imports inside functions, imports for types only, and names of modules in strings count as well.
A circle is a set of rooms or files of which each imports all others, directly or through others. With --members,
arrows, circles and names are listed.
"""

import argparse
import ast
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping

PACKAGE = "pysmpi"
WINGS = ("formulas", "calibrate", "study", "requirements", "estimates", "aspen")
SOURCE = (".py", ".pyi", ".cpp", ".hpp", ".h")
DOCUMENTS = (".md", ".svg", ".json", ".csv", ".css", ".txt", ".toml", ".py", ".xml")
# A module's name in a string, perhaps before a function's name ("pysmpi.cli.run:main"), or the start of an f-string.
_IN_STRING = re.compile(rf"({PACKAGE}(?:\.\w+)+)[.:]?\w*")

Graph = dict[str, set[str]]


def modules(root: pathlib.Path) -> dict[str, pathlib.Path]:
    """Return the file of each module of the package; a package has the name of its folder."""
    found = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of_files(files: Mapping[str, pathlib.Path]) -> Graph:
    """Return the modules of the package that each of its modules imports, or names in strings, wherever in its text."""
    graph: Graph = {name: set() for name in files}
    for name, path in files.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                graph[name] |= {_module_of(alias.name, files) for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                graph[name] |= {_module_of(f"{node.module}.{alias.name}", files) for alias in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                in_string = _IN_STRING.fullmatch(node.value)
                # A string such as "pysmpi.execute" names a function that users call, and imports nothing.
                graph[name] |= {_module_of(in_string[1], files)} - {PACKAGE} if in_string else set()
        graph[name] -= {name, ""}
    return graph


def _module_of(name: str, files: Mapping[str, pathlib.Path]) -> str:
    """Return the module that has a dotted name, or defines its last parts; "" if it is not of the package."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name


def room_of(module: str) -> str:
    """Return the room of a module; "" for the package itself and for files directly in it."""
    return module.split(".")[1] if module.count(".") else ""


def arrows(files: Mapping[str, pathlib.Path], graph: Graph) -> Graph:
    """Return the rooms that each room imports."""
    rooms = {room_of(name) for name, path in files.items() if path.name == "__init__.py"} - {""}
    found: Graph = {room: set() for room in sorted(rooms)}
    for name, targets in graph.items():
        if room_of(name) in rooms:
            found[room_of(name)] |= {room_of(target) for target in targets} & rooms - {room_of(name)}
    return found


def circles(graph: Graph) -> list[list[str]]:
    """Return the strongly connected components of two members or more, the largest first (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for target in sorted(graph[node]):
            if target not in number:
                visit(target)
                lowest[node] = min(lowest[node], lowest[target])
            elif target in stack:
                lowest[node] = min(lowest[node], number[target])
        if lowest[node] == number[node]:
            start = stack.index(node)
            if len(stack) - start > 1:
                found.append(sorted(stack[start:]))
            del stack[start:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return sorted(found, key=lambda members: (-len(members), members))


def names_twice(files: Iterable[pathlib.Path]) -> dict[str, list[pathlib.Path]]:
    """Return the files of each module name that two or more modules have; ``__init__`` and ``__main__`` apart."""
    found = collections.defaultdict(list)
    for path in files:
        if not path.stem.startswith("__"):
            found[path.stem].append(path)
    return {name: paths for name, paths in sorted(found.items()) if len(paths) > 1}


def names_twice_in_wings(root: pathlib.Path) -> dict[str, list[pathlib.Path]]:
    """Return what `names_twice` returns of each wing by itself, under ``wing/name``."""
    return {
        f"{wing}/{name}": paths
        for wing in WINGS
        for name, paths in names_twice(sorted((root / PACKAGE / wing).rglob("*.py"))).items()
    }


def complex_functions(root: pathlib.Path) -> list[str] | None:
    """Return the functions above cyclomatic complexity 20, as ruff counts it; None if ruff is not installed."""
    beside = pathlib.Path(sys.executable).with_name("ruff")
    ruff = str(beside) if beside.exists() else shutil.which("ruff")
    if ruff is None:
        return None
    options = ["--isolated", "--select=C901", "--config=lint.mccabe.max-complexity=20", "--output-format=json"]
    # ruff's exit status is 1 if there are any.
    done = subprocess.run([ruff, "check", *options, str(root / PACKAGE)], capture_output=True, text=True, check=False)
    return [f"{pathlib.Path(each['filename']).name}: {each['message']}" for each in json.loads(done.stdout)]


def lines(folders: Iterable[pathlib.Path], suffixes: tuple[str, ...]) -> int:
    """Return the number of lines of the files under some folders whose names end in one of the suffixes."""
    return sum(
        path.read_bytes().count(b"\n")
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in suffixes and path.is_file()
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--members", action="store_true", help="list arrows, circles and names")
    arguments = parser.parse_args()
    root: pathlib.Path = arguments.root
    files = modules(root)
    graph = imports_of_files(files)
    rooms = arrows(files, graph)
    of_rooms, of_files = circles(rooms), circles(graph)
    complicated = complex_functions(root)
    twice = names_twice(files.values())
    in_wings = names_twice_in_wings(root)
    rows: list[tuple[str, object]] = [
        ("rooms", len(rooms)),
        ("arrows between rooms", sum(map(len, rooms.values()))),
        ("circles of rooms", _with_sizes(of_rooms)),
        ("circles of files", _with_sizes(of_files)),
        ("functions above complexity 20", "ruff is not installed" if complicated is None else len(complicated)),
        ("module names that occur twice or more", len(twice)),
        ("module names that occur twice within a wing", len(in_wings)),
        ("lines of source", f"{lines([root / PACKAGE], SOURCE):,}"),
        ("lines of docs and calibration", f"{lines([root / 'docs', root / 'calibration'], DOCUMENTS):,}"),
    ]
    print("| figure | value |\n|---|---:|")
    for name, value in rows:
        print(f"| {name} | {value} |")
    if arguments.members:
        for room, targets in rooms.items():
            print(f"\n{room} imports {', '.join(sorted(targets)) or 'no other room'}", end="")
        print()
        for members in of_rooms + of_files:
            print(f"\ncircle of {len(members)}:")
            for member in members:
                targets = (graph if member in graph else rooms)[member]
                print(f"  {member} -> {', '.join(sorted(targets & set(members)))}")
        print(*(f"\n{each}" for each in complicated or []), sep="")
        for name, paths in (twice | in_wings).items():
            print(f"{name}: {', '.join(str(path.relative_to(root)) for path in paths)}")
    return 0


def _with_sizes(found: list[list[str]]) -> str:
    sizes = f" (of {', '.join(str(len(members)) for members in found)})" if found else ""
    return f"{len(found)}{sizes}"


if __name__ == "__main__":
    sys.exit(main())
