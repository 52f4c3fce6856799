"""TOML files, with the line of each key for error messages, and JSON files."""

import json
import os
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.errors import PysmpiError

__all__ = ["Document", "parse_json", "read_text"]

_HEADER = re.compile(r"\s*\[{1,2}\s*(.+?)\s*\]{1,2}\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_SYNTAX_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")


@dataclass(frozen=True)
class Document:
    """Contents of a TOML file.

    Attributes:
        path: path of the file, as shown in errors.
        content: decoded tables.
        text: text of the file.
        kind: class of errors to raise.
    """

    path: Path
    content: dict[str, Any]
    text: str
    kind: type[PysmpiError]

    @classmethod
    def read(cls, path: Path, kind: type[PysmpiError]) -> "Document":
        """Read a file.

        Raises:
            PysmpiError: an error of class `kind`: the file cannot be read or is not TOML; the message begins with
                file and line.
        """
        return cls.parse(read_text(path, kind), path, kind)

    @classmethod
    def parse(cls, text: str, path: Path, kind: type[PysmpiError]) -> "Document":
        """Parse the text of a file.

        Raises:
            PysmpiError: an error of class `kind`: the text is not TOML; the message begins with file and line.
        """
        try:
            return cls(path, tomllib.loads(text), text, kind)
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            line = _SYNTAX_LINE.search(message)
            number = line[1] if line else str(text.count("\n") + 1)
            raise kind(f"{path}:{number}: not valid TOML: {_SYNTAX_LINE.sub('', message)}") from None
        except RecursionError:
            raise kind(f"{path}:1: lists and tables are nested too deeply") from None
        except ValueError as error:  # raised for a number with thousands of digits
            raise kind(f"{path}:1: not valid TOML: {error}") from None

    def place(self, keys: Sequence[str], number: int | None = None) -> str:
        """Return the file and line of a key, or of the nearest enclosing table if the key is not found.

        Args:
            keys: names of the enclosing tables, then the key.
            number: 1-based number of the table among those with the header [[NAME]], or None for any.
        """
        if number is not None and not 0 < number <= sum(_is_table_of(keys[0], line) for line in self.text.splitlines()):
            number = None  # the tables are written as an inline array
        best, line_of_best, met = 0, 0, 0
        table: list[str] = []
        for line_number, line in enumerate(self.text.splitlines(), 1):
            header = _HEADER.match(line)
            key = None if header else _KEY.match(line)
            met += _is_table_of(keys[0], line)
            if header:
                table = _parts(header[1])
            if number is not None and met != number:
                continue
            found = table if header else [*table, *_parts(key[1])] if key else []
            common = 0
            while common < min(len(found), len(keys)) and found[common] == keys[common]:
                common += 1
            if common > best:
                best, line_of_best = common, line_number
        return f"{self.path}:{line_of_best}" if line_of_best else str(self.path)

    def error(self, keys: Sequence[str], message: str, number: int | None = None) -> PysmpiError:
        """Return an error whose message begins with the place of a key (see `place`)."""
        return self.kind(f"{self.place(keys, number)}: {message}")


def read_text(path: Path, kind: type[PysmpiError]) -> str:
    """Return the contents of a text file.

    Raises:
        PysmpiError: an error of class `kind`: the file cannot be read, or is not text. In the second case the message
            begins with file and line.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise kind(f"cannot read {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise kind(f"{path}:{line}: not a text file in UTF-8") from None


def parse_json(
    text: str | bytes,
    path: str | os.PathLike[str],
    kind: type[PysmpiError],
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """Return the decoded JSON of a file.

    Args:
        text: contents of the file.
        path: path of the file, for errors.
        kind: class of errors to raise.
        pairs: function that makes an object of its keys and values, or None for a dict.

    Raises:
        PysmpiError: an error of class `kind`: the text is not JSON, or nested too deeply. The message begins with the
            file.
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise kind(f"{os.fspath(path)}:{error.lineno}: not valid JSON: {error.msg}") from None
    except RecursionError:
        raise kind(f"{os.fspath(path)}: not valid JSON: lists and objects are nested too deeply") from None
    except ValueError as error:
        raise kind(f"{os.fspath(path)}: not valid JSON: {error}") from None


def _is_table_of(name: str, line: str) -> bool:
    """Return whether a line is a header [[NAME]]."""
    header = _HEADER.match(line)
    return header is not None and line.lstrip().startswith("[[") and _parts(header[1]) == [name]


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]
