"""Input files of a simulation in a study: the program, its modules, and files named in other inputs."""

import ast
import contextlib
import hashlib
import importlib.machinery
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from pysmpi.errors import StudyError
from pysmpi.util.wings import language_of, language_of_program

__all__ = [
    "digest",
    "files_named",
    "files_of_model",
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
    """Return the script and all modules in its folder that it imports, directly or indirectly.

    For a program in a modelling language such as Aspen, return all files of the model instead.

    Raises:
        StudyError: if a file cannot be read.
    """
    if language_of_program(str(script)) is not None:
        return files_of_model(str(script), Path())
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
    """Return the files named by a program's arguments, alone or after an equals sign (``--data=FILE``).

    For arguments that name a model of a machine (``--machine m.aspen:nodes=4``), return all files of the model.
    """
    names = [name for text in texts for name in (text, text.partition("=")[2])]
    models = [path for name in names for path in files_of_model(name, folder)]
    return sorted({*models, *(path for name in names if name and is_file(path := folder / name))})


def files_of_model(name: str, folder: Path) -> list[Path]:
    """Return the file of a model in a modelling language such as Aspen, and the files that it refers to.

    Return none if the name is not that of such a model.

    Args:
        name: name of the model, optionally followed by values, such as ``m.aspen:nodes=4``.
        folder: folder to search; files named in a model are first looked up beside it.
    """
    language = language_of(name)
    divided = None if language is None else language.divided(name)
    return [] if language is None or divided is None else _files([divided[0]], [folder], language.files_in)


def names_in_platform(text: str) -> list[str]:
    """Return the names of files that the text of a platform file refers to: included files and profiles."""
    return _FILE.findall(text)


def files_of_platform(names: Iterable[str], folders: Sequence[Path]) -> list[Path]:
    """Return the files that a platform file names, directly or through included files.

    Args:
        names: file names as written in the platform file.
        folders: folders to search, in this order.
    """
    return _files(names, folders, names_in_platform)


def _files(names: Iterable[str], folders: Sequence[Path], names_in: Callable[[str], Iterable[str]]) -> list[Path]:
    """Return the files with the given names, and all files to which their texts refer, directly or indirectly.

    Args:
        names: names of files.
        folders: folders to search, in this order.
        names_in: function that returns the names of files to which a text refers.
    """
    found: dict[Path, None] = {}
    waiting = [(name, folders) for name in names]
    while waiting:
        name, places = waiting.pop()
        path = _found(name, places)
        if path is None or path in found:
            continue
        found[path] = None
        with contextlib.suppress(OSError):  # the error is reported when the file is read
            text = path.read_text(encoding="utf-8", errors="replace")
            waiting += [(each, [path.parent, *folders[-1:]]) for each in names_in(text)]
    return sorted(found)


def with_whole_paths(text: str, folders: Sequence[Path]) -> str:
    """Return the text of a platform file with each file name replaced by its absolute path."""

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
    """Return the files that match patterns such as ``data/*.csv``.

    Raises:
        StudyError: if a pattern matches no file.
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
                raise StudyError(f"input {pattern!r} is not a valid file pattern: {error}") from None
        if not files:
            raise StudyError(f"no file in {str(folder)!r} matches {pattern!r}")
        found.update(files)
    return sorted(found)


def digest(path: Path) -> str:
    """Return the SHA-256 hash of a file's content.

    Raises:
        StudyError: if the file cannot be read.
    """
    return hashlib.sha256(_content(path)).hexdigest()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StudyError(f"cannot read {str(path)!r}: {error.strerror}") from None


def is_file(path: Path) -> bool:
    """Return whether a path names an existing file."""
    try:
        return path.is_file()
    except OSError:  # a path longer than the system permits
        return False


def _imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports; names of relative imports start with a dot."""
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
    """Return the paths of all files that importing a module could run if it lies in the program's folder.

    The files need not exist. `top` is the program's folder, `here` that of the importing module.
    """
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
