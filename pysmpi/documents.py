"""TOML files, with the line of each key for the texts of errors."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.errors import PysmpiError

__all__ = ["Document"]

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
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
            raise kind(f"cannot read {str(path)!r}: {reason}") from None
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

    def place(self, keys: Sequence[str]) -> str:
        """The file and line of a key, the table's names before it; of the nearest table around it at worst."""
        best, line_of_best = 0, 0
        table: list[str] = []
        for number, line in enumerate(self.text.splitlines(), 1):
            header = _HEADER.match(line)
            key = None if header else _KEY.match(line)
            if header:
                table = _parts(header[1])
            found = table if header else [*table, *_parts(key[1])] if key else []
            common = 0
            while common < min(len(found), len(keys)) and found[common] == keys[common]:
                common += 1
            if common > best:
                best, line_of_best = common, number
        return f"{self.path}:{line_of_best}" if line_of_best else str(self.path)

    def error(self, keys: Sequence[str], message: str) -> PysmpiError:
        """An error that begins with the place of a key."""
        return self.kind(f"{self.place(keys)}: {message}")


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(dotted)]
