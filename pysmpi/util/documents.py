"""TOML files, with the line of each key for the texts of errors."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.errors import PysmpiError

__all__ = ["Document", "read_text"]

_HEADER = re.compile(r"\s*\[{1,2}\s*(.+?)\s*\]{1,2}\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_SYNTAX_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")


@dataclass(frozen=True)
class Document:
    """What a TOML file says.

    Attributes:
        path: of the file, as errors name it.
        content: its tables.
        text: the file itself.
        kind: of errors.
    """

    path: Path
    content: dict[str, Any]
    text: str
    kind: type[PysmpiError]

    @classmethod
    def read(cls, path: Path, kind: type[PysmpiError]) -> "Document":
        """Reads a file.

        Raises:
            PysmpiError: it cannot be read, or is not TOML; the message begins with file and line. It is of the kind
                that is given.
        """
        return cls.parse(read_text(path, kind), path, kind)

    @classmethod
    def parse(cls, text: str, path: Path, kind: type[PysmpiError]) -> "Document":
        """Reads the text of a file.

        Raises:
            PysmpiError: it is not TOML; the message begins with file and line. It is of the kind that is given.
        """
        try:
            return cls(path, tomllib.loads(text), text, kind)
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            line = _SYNTAX_LINE.search(message)
            number = line[1] if line else str(text.count("\n") + 1)
            raise kind(f"{path}:{number}: not valid TOML: {_SYNTAX_LINE.sub('', message)}") from None
        except RecursionError:
            raise kind(f"{path}: its lists and tables are nested too deep") from None
        except ValueError as error:  # a number of thousands of digits
            raise kind(f"{path}: not valid TOML: {error}") from None

    def place(self, keys: Sequence[str], number: int | None = None) -> str:
        """The file and line of a key, the table's names before it; of the nearest table around it at worst.

        Args:
            keys: the names of tables, and the key.
            number: in which of the tables [[NAME]] that have the first of the names, from 1 on; None: in any.
        """
        if number is not None and not 0 < number <= sum(_is_table_of(keys[0], line) for line in self.text.splitlines()):
            number = None  # they are written in a line
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
        """An error that begins with the place of a key (see `place`)."""
        return self.kind(f"{self.place(keys, number)}: {message}")


def read_text(path: Path, kind: type[PysmpiError]) -> str:
    """What a text file holds.

    Raises:
        PysmpiError: it cannot be read; of the kind that is given.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise kind(f"cannot read {str(path)!r}: {reason}") from None


def _is_table_of(name: str, line: str) -> bool:
    """Whether a line begins one of several tables of a name."""
    header = _HEADER.match(line)
    return header is not None and line.lstrip().startswith("[[") and _parts(header[1]) == [name]


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]
