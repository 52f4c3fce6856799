"""Tables of measurements: CSV files that begin with lines of provenance, read strictly.

A file is lines ``# key: value``, a line with the columns' names, and a line for each measurement.
"""

import csv
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.errors import CalibrationError, unknown

__all__ = ["Column", "Table", "read_table"]


_MARK = "\ufeff"  # of byte order, with which spreadsheets begin


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: in the file's line of names.
        kind: of its values: int, float or str.
        least: of numbers; sizes and times are not negative.
        optional: a cell may be empty, and reads as None.
        choices: the valid texts; empty: all.
    """

    name: str
    kind: type[int] | type[float] | type[str]
    least: float = 0.0
    optional: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """What a file holds.

    Attributes:
        source: its path.
        provenance: who measured what, where, when and how, by key.
        rows: the measurements, by name of column.
        lines: the line of each.
        whole: length in bytes up to the last complete line; what follows was cut off while it was written.
    """

    source: str
    provenance: dict[str, str]
    rows: list[dict[str, Any]]
    lines: list[int]
    whole: int

    def place(self, index: int) -> str:
        """Return the file:line of a row."""
        return f"{self.source}:{self.lines[index]}"


def read_table(path: str | os.PathLike[str], columns: Sequence[Column]) -> Table:
    """Read a file of measurements.

    Other columns than these may be there, and are left out. In a file with provenance a last line without an end was
    cut off while it was written, and is left out as well.

    Raises:
        CalibrationError: the file cannot be read, a column is missing, or a value is none of its column's; the message
            begins with file:line.
    """
    source = os.fspath(path)
    try:
        text = Path(source).read_bytes().decode()
    except OSError as error:
        raise CalibrationError(f"cannot read the measurements {source!r}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CalibrationError(f"{source}: this is no text: {error}") from None
    if text.removeprefix(_MARK).startswith("#") or not text.strip():
        text = text[: text.rfind("\n") + 1]
    elif not text.endswith("\n"):
        text += "\n"  # no campaign's, which begin with provenance, but somebody's, who has written all of it
    whole = len(text.encode())
    text = text.removeprefix(_MARK)
    provenance: dict[str, str] = {}
    names: list[str] | None = None
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        if not line.strip():
            continue
        if line.startswith("#"):
            key, colon, value = line[1:].partition(":")
            if colon:
                provenance[key.strip()] = value.strip()
            continue
        (cells,) = csv.reader([line.removesuffix("\r")])
        if names is None:
            names = _names(f"{source}:{number}", [cell.strip() for cell in cells], columns)
            continue
        rows.append(_row(f"{source}:{number}", names, cells, columns))
        lines.append(number)
    if names is None:
        raise CalibrationError(f"{source}: there is no line of columns' names ({_listed(columns)} are needed)")
    return Table(source, provenance, rows, lines, whole)


def _listed(columns: Iterable[Column]) -> str:
    return ", ".join(column.name for column in columns)


def _names(where: str, names: list[str], columns: Sequence[Column]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise CalibrationError(f"{where}: the column {name!r} is there twice")
    for column in columns:
        if column.name not in names:
            raise CalibrationError(
                f"{where}: the column {column.name!r} is missing "
                f"(needed: {_listed(columns)}; found: {', '.join(names)})"
            )
    return names


def _row(where: str, names: list[str], cells: list[str], columns: Sequence[Column]) -> dict[str, Any]:
    if len(cells) != len(names):
        raise CalibrationError(f"{where}: it has {len(cells)} values, for {len(names)} columns ({', '.join(names)})")
    by_name = dict(zip(names, cells, strict=True))
    return {column.name: _value(f"{where}: {column.name}", by_name[column.name].strip(), column) for column in columns}


def _value(where: str, text: str, column: Column) -> Any:
    if not text and column.optional:
        return None
    if column.kind is str:
        if column.choices and text not in column.choices:
            raise CalibrationError(f"{where}: {unknown('value', text, column.choices)}")
        return text
    try:
        value = int(text) if column.kind is int else float(text)
    except ValueError:
        what = "whole number" if column.kind is int else "number"
        raise CalibrationError(f"{where}: {text!r} is not a {what}") from None
    if not math.isfinite(value) or value < column.least:
        raise CalibrationError(f"{where}: {text} is not valid; it is {column.least:g} or more")
    return value
