"""Table of a study's results: one row per point (simulation), in memory, as Parquet and as CSV."""

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pysmpi.errors import StudyError, unknown
from pysmpi.study.store import write_whole

__all__ = ["Table"]

_JOULES = ("energy", "energy_used", "link_energy")

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Table:
    """Table of results; all rows have the same columns.

    The first columns are ``point``, ``replicate``, the parameters by their full names, ``seed``, ``status`` ("done",
    "failed", "killed", "missing") and ``error``. Results follow: ``simulated_time`` (s), the metrics that the program
    reported (``metric.NAME``), requirements of the ranks such as bytes sent (``requirement.NAME``), ``energy``,
    ``energy_used`` (of hosts that have computed something) and ``link_energy`` (J), ``messages`` and ``events``. The
    last columns describe the run: ``wall_time`` (s), ``peak_memory`` (bytes), ``busy`` (a text if computation was
    measured on a busy or throttled machine; otherwise empty), ``intervals_reused`` (number of computation intervals
    whose durations were measured in another point), ``intervals_unmatched`` (number of computation intervals without a
    counterpart in that point; empty for the point that has measured the durations), ``attempts``, ``started``,
    ``machine``, ``version.NAME`` and ``key``.

    Attributes:
        rows: cells of each row by column name; None for empty cells.
        varied: names of the parameters that the study varies.
        better: for each column for which it was declared whether more or less is better: "more" or "less", or both if
            points disagree.
        chosen: columns for which the user of the table, not the program, declared this.
    """

    rows: Sequence[Mapping[str, Cell]]
    varied: Sequence[str] = ()
    better: Mapping[str, Sequence[str]] = field(default_factory=dict)
    chosen: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Mapping[str, Cell]]:
        return iter(self.rows)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self.rows[0]) if self.rows else []

    @property
    def metrics(self) -> list[str]:
        """Names of the columns with results: simulated time, metrics that the program reported, and energies."""
        own = [name for name in self.columns if name.startswith("metric.")]
        known = {name for row in self.rows for name, cell in row.items() if cell is not None}
        simulated = ["simulated_time"] if "simulated_time" in known or not own else []  # functions need not simulate
        return [*simulated, *own, *(name for name in _JOULES if name in known)]

    def column(self, name: str) -> list[Cell]:
        """Return the cells of a column.

        Raises:
            StudyError: if the column does not exist; the message names the nearest one.
        """
        if name not in self.columns:
            raise StudyError(unknown("column", name, self.columns, shown=60))
        return [row[name] for row in self.rows]

    def where(self, **values: Cell) -> "Table":
        """Return the rows in which each named column has the given value.

        For column names with a dot, write ``where(**{"platform.roots": 1})``.
        """
        for name in values:
            self.column(name)
        return replace(self, rows=[row for row in self.rows if all(row[name] == each for name, each in values.items())])

    def done(self) -> "Table":
        """Return the rows of points with the status "done"."""
        return replace(self, rows=[row for row in self.rows if row["status"] == "done"])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table to NAME.csv or NAME.parquet, completely or not at all.

        Raises:
            StudyError: if the suffix is not valid, the file cannot be written, or pyarrow is missing.
        """
        target = Path(path)
        if not target.parent.is_dir():
            raise StudyError(f"folder {str(target.parent)!r} does not exist")
        if target.suffix == ".csv":
            write_whole(target, self.to_csv().encode(errors="backslashreplace"))
        elif target.suffix == ".parquet":
            write_whole(target, self._to_parquet())
        else:
            raise StudyError(f"{str(target)!r}: {unknown('format', target.suffix, ('.parquet', '.csv'))}")

    def to_csv(self) -> str:
        """Return the table as comma-separated values with a header line; None becomes an empty cell."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()

    def _to_parquet(self) -> bytes:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise StudyError(
                "Parquet needs pyarrow; install it with: pip install 'pysmpi[parquet]', or write .csv"
            ) from None
        columns = {name: _alike(self.column(name)) for name in self.columns}
        schema = pyarrow.schema([(name, _type(values)) for name, values in columns.items()])
        table = pyarrow.table(columns, schema.with_metadata({"varied": "\n".join(self.varied)}))
        buffer = io.BytesIO()
        pyarrow.parquet.write_table(table, buffer)
        return buffer.getvalue()


def _alike(values: Sequence[Cell]) -> list[Cell]:
    """Return a column's values converted to one type.

    If a column contains strings, its numbers become strings. If it contains floats, its whole numbers become floats.
    Strings are made valid UTF-8. If a whole number exceeds 64 bits, which a program may report, the whole column
    becomes strings.
    """
    values = [value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value for value in values]
    if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values):
        return [None if value is None else str(value) for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1:
        return list(values)
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values]


def _type(values: Sequence[Cell]) -> str:
    kind = next((type(value) for value in values if value is not None), str)
    return {str: "string", int: "int64", float: "float64", bool: "bool"}[kind]
