"""Tables of measurements: CSV files that start with lines of provenance. Reading checks every value.

A file consists of lines ``# key: value``, a line with the column names, and one line per measurement. It may be
compressed by gzip.
"""

import csv
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.errors import CalibrationError, unknown
from pysmpi.util.compressed import expanded

__all__ = ["Column", "Table", "above_zero", "read_table"]

_MARK = "\ufeff"  # byte order mark that spreadsheets write at the start of a file


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table.

    Attributes:
        name: name in the header line.
        kind: type of the values: int, float or str.
        least: least valid number; sizes and times are not negative.
        optional: whether cells may be empty, which reads as None.
        choices: valid texts, or empty for any text.
    """

    name: str
    kind: type[int] | type[float] | type[str]
    least: float = 0.0
    optional: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Content of a table file.

    Attributes:
        source: path of the file.
        provenance: machine, date, options and other facts about the measurements, by key.
        rows: measurements by column name.
        lines: line number of each measurement.
        whole: length of the file in bytes, expanded, without an incomplete last line.
    """

    source: str
    provenance: dict[str, str]
    rows: list[dict[str, Any]]
    lines: list[int]
    whole: int

    def place(self, index: int) -> str:
        """Return file:line of a row."""
        return f"{self.source}:{self.lines[index]}"


def read_table(path: str | os.PathLike[str], columns: Sequence[Column]) -> Table:
    """Read a file of measurements.

    Additional columns are ignored. In a file with provenance, a last line without a line end is incomplete and is
    ignored.

    Raises:
        CalibrationError: if the file cannot be read, a column is missing, or a value is not valid; the message starts
            with file:line.
    """
    source = os.fspath(path)
    try:
        text = expanded(Path(source).read_bytes()).decode()
    except OSError as error:
        raise CalibrationError(f"cannot read the measurements {source!r}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CalibrationError(f"{source}: not a UTF-8 text: {error}") from None
    except ValueError as error:
        raise CalibrationError(f"{source}: {error}") from None
    if text.removeprefix(_MARK).startswith("#") or not text.strip():
        text = text[: text.rfind("\n") + 1]
    elif not text.endswith("\n"):
        text += "\n"  # the file is not from a campaign, so its last line is complete
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
        cells = _cells(line.removesuffix("\r"))
        if names is None:
            names = _names(f"{source}:{number}", [cell.strip() for cell in cells], columns)
            continue
        rows.append(_row(f"{source}:{number}", names, cells, columns))
        lines.append(number)
    if names is None:
        raise CalibrationError(
            f"{source}: the header line with the column names is missing (needed: {_listed(columns)})"
        )
    return Table(source, provenance, rows, lines, whole)


def _cells(line: str) -> list[str]:
    """Return the cells of a line. A cell may exceed the csv module's limit, as it can list ten thousand detours."""
    limit = csv.field_size_limit(len(line) + 1)
    try:
        return next(csv.reader([line]))
    finally:
        csv.field_size_limit(limit)


def _listed(columns: Iterable[Column]) -> str:
    return ", ".join(column.name for column in columns)


def _names(where: str, names: list[str], columns: Sequence[Column]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise CalibrationError(f"{where}: duplicate column {name!r}")
    for column in columns:
        if column.name not in names:
            raise CalibrationError(
                f"{where}: the column {column.name!r} is missing "
                f"(needed: {_listed(columns)}; found: {', '.join(names)})"
            )
    return names


def _row(where: str, names: list[str], cells: list[str], columns: Sequence[Column]) -> dict[str, Any]:
    if len(cells) != len(names):
        raise CalibrationError(
            f"{where}: the line has {len(cells)} values for {len(names)} columns ({', '.join(names)})"
        )
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
        raise CalibrationError(f"{where}: {text} is not valid; write a number of at least {column.least:g}")
    return value


def above_zero(value: Any) -> float:
    """Return a value from a model file as a number, which must be above zero.

    Raises:
        TypeError, ValueError: the value is not a number above zero.
    """
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{number:g} is not above zero")
    return number
