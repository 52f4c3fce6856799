"""Reading of Aspen files and of the files that they include."""

from pathlib import Path

from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.file_grammar import parse
from pysmpi.aspen.syntax_tree import Application, File, Include, Item, Mapping
from pysmpi.util.documents import read_text

__all__ = ["all_items", "find_file", "read_file"]


def read_file(path: str) -> File:
    """Return the syntax tree of a file.

    Raises:
        AspenError: the file cannot be read or is not valid.
    """
    return parse(read_text(Path(path), AspenError).removeprefix("\ufeff"), path)


def find_file(path: str, place: Place) -> str:
    """Return the path of a file that a statement of another file names.

    The file is looked up in the other file's folder, then in the working directory.

    Args:
        path: path as it is written in the statement.
        place: file and line of the statement.

    Raises:
        AspenError: neither folder has the file.
    """
    try:
        beside = Path(place.file).parent / path
        for found in (beside, Path(path)):
            if found.is_file():
                return str(found)
    except (OSError, ValueError):
        pass
    raise error_at(place, f"no file {path!r} beside {place.file!r} or in the working directory")


def all_items(file: File, path: str) -> list[Item]:
    """Return the definitions in a file and in all files that it includes, each file once, in the order of the text.

    Definitions inside ``model NAME { … }`` are returned instead of the model. Mappings of an application to a machine
    are left out.

    Args:
        file: syntax tree of the file.
        path: path of the file.

    Raises:
        AspenError: an included file does not exist, is not valid, or includes itself.
    """
    found: list[Item] = []
    _collect(file.items, found, [(str(Path(path).absolute()), Path(path).name, 0)], set())
    return found


def _collect(items: tuple[Item, ...], found: list[Item], opened: list[tuple[str, str, int]], done: set[str]) -> None:
    for item in items:
        if isinstance(item, Application):
            _collect(item.items, found, opened, done)
        elif isinstance(item, Include):
            _include(item, found, opened, done)
        elif not isinstance(item, Mapping):
            found.append(item)


def _include(item: Include, found: list[Item], opened: list[tuple[str, str, int]], done: set[str]) -> None:
    path = find_file(item.path, item.place)
    key = str(Path(path).resolve())
    above = [str(Path(each).resolve()) for each, _, _ in opened]
    if key in above:
        files = [*opened[above.index(key) :], (key, Path(path).name, 0)]
        lines = [line for _, _, line in files[1:-1]] + [item.place.line]
        steps = " → ".join(f"{name} (line {line})" for (_, name, _), line in zip(files, lines, strict=False))
        raise error_at(item.place, f"{Path(path).name!r} includes itself: {steps} → {files[-1][1]}")
    if key in done:
        return
    done.add(key)
    _collect(read_file(path).items, found, [*opened, (path, Path(path).name, item.place.line)], done)
