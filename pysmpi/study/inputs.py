"""The files that a point's outcome depends on: the program with its modules, and those that are named somewhere."""

import ast
import contextlib
import hashlib
import importlib.machinery
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from pysmpi.errors import StudyError

__all__ = [
    "digest",
    "files_named",
    "files_of_platform",
    "is_file",
    "matching",
    "names_in_platform",
    "program_files",
    "with_whole_paths",
]

_MODULES = (".py", *importlib.machinery.EXTENSION_SUFFIXES)
_FILE = re.compile(r"""\b\w*file\s*=\s*["']([^"']+)["']""")


def program_files(script: Path) -> list[Path]:
    """The script, and the modules in its folder that it imports, and those that they import.

    Raises:
        StudyError: one cannot be read.
    """
    found: dict[Path, None] = {}
    waiting = [script.resolve()]
    while waiting:
        path = waiting.pop()
        if path in found or not is_file(path):
            continue
        found[path] = None
        for name in _imports(path):
            waiting += _of_module(name, script.resolve().parent, path.parent)
    return sorted(found)


def files_named(texts: Iterable[str], folder: Path) -> list[Path]:
    """Those of a program's arguments that are files, or an option and a file: ``--data=FILE``."""
    names = [name for text in texts for name in (text, text.partition("=")[2])]
    return sorted({path for name in names if name and is_file(path := folder / name)})


def names_in_platform(text: str) -> list[str]:
    """The names of files in the text of a platform file: what it includes, and its profiles."""
    return _FILE.findall(text)


def files_of_platform(names: Iterable[str], folders: Sequence[Path]) -> list[Path]:
    """The files that a platform file names, and those that these name.

    Args:
        names: as they stand in it.
        folders: where to look for them, one after the other.
    """
    found: dict[Path, None] = {}
    waiting = [(name, folders) for name in names]
    while waiting:
        name, places = waiting.pop()
        path = _found(name, places)
        if path is None or path in found:
            continue
        found[path] = None
        with contextlib.suppress(OSError):  # which is told when it is read for good
            inner = names_in_platform(path.read_text(encoding="utf-8", errors="replace"))
            waiting += [(each, [path.parent, *folders[-1:]]) for each in inner]
    return sorted(found)


def with_whole_paths(text: str, folders: Sequence[Path]) -> str:
    """The text of a platform file with the whole path of each file that it names."""

    def replaced(match: re.Match[str]) -> str:
        path = _found(match[1], folders)
        if path is None:
            return match[0]
        begin, end = (place - match.start() for place in match.span(1))
        whole = escape(str(path.absolute()), {'"': "&quot;", "'": "&apos;"})
        return f"{match[0][:begin]}{whole}{match[0][end:]}"

    return _FILE.sub(replaced, text)


def _found(name: str, folders: Sequence[Path]) -> Path | None:
    return next((path for folder in folders if name and is_file(path := folder / name)), None)


def matching(patterns: Sequence[str], folder: Path) -> list[Path]:
    """The files that patterns such as ``data/*.csv`` stand for.

    Raises:
        StudyError: there is none for one of them.
    """
    found: set[Path] = set()
    for pattern in patterns:
        path = Path(pattern)
        files = [path] if path.is_absolute() and is_file(path) else []
        if not path.is_absolute() and pattern:
            try:
                files = [each for each in folder.glob(pattern) if is_file(each)]
            except PermissionError as error:
                raise StudyError(f"input {pattern!r}: cannot read {error.filename!r}") from None
            except ValueError as error:  # such as "a**"
                raise StudyError(f"input {pattern!r} is no pattern of files: {error}") from None
        if not files:
            raise StudyError(f"there is no file {pattern!r} in {str(folder)!r}")
        found.update(files)
    return sorted(found)


def digest(path: Path) -> str:
    """The content of a file as a hash.

    Raises:
        StudyError: it cannot be read.
    """
    return hashlib.sha256(_content(path)).hexdigest()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StudyError(f"cannot read {str(path)!r}: {error.strerror}") from None


def is_file(path: Path) -> bool:
    """Whether there is a file of that name."""
    try:
        return path.is_file()
    except OSError:  # no name of a file can be as long
        return False


def _imports(path: Path) -> Iterator[str]:
    """The names of modules that a file imports; those of a package that it is in begin with a dot."""
    try:
        tree = ast.parse(_content(path))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield base
            yield from (f"{base}{'.' if node.module else ''}{alias.name}" for alias in node.names)


def _of_module(name: str, top: Path, here: Path) -> list[Path]:
    """The files that importing a module runs, as far as they are in the program's folder."""
    level = len(name) - len(name.lstrip("."))
    folder = top
    if level:
        folder = here
        for _ in range(level - 1):
            folder = folder.parent
    files = [folder / "__init__.py"] if level else []
    for part in filter(None, name.split(".")):
        files += [folder / f"{part}{suffix}" for suffix in _MODULES] + [folder / part / "__init__.py"]
        folder = folder / part
    return files
