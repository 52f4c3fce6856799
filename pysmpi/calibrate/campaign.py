"""Measurement tables that grow row by row, so that an interruption loses nothing."""

import csv
import fcntl
import io
import os
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from pysmpi.calibrate.table import Column, Table, read_table
from pysmpi.errors import CalibrationError
from pysmpi.util.compressed import is_compressed

__all__ = ["Campaign", "remaining"]

Point = TypeVar("Point", bound=Hashable)

# Keys of the provenance whose values must be the same when an interrupted campaign is continued.
_SAME = ("part", "host", "options")


class Campaign:
    """Table file to which each measurement is appended at once, as one line.

    If the file exists, it is continued: `rows` holds its measurements, except for an incomplete last line.

    Args:
        path: path of the file.
        columns: columns of each measurement, in order.
        provenance: facts about the measurements for the first lines of the file.

    Raises:
        CalibrationError: if the file has measurements of another kind, host or options, is compressed, cannot be
            written, or is being written by another process.
    """

    def __init__(self, path: str | os.PathLike[str], columns: Sequence[Column], provenance: Mapping[str, str]) -> None:
        self._columns = columns
        self.path = os.fspath(path)
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise CalibrationError(f"cannot write the measurements {self.path!r}: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_compressed(os.pread(self._file, 2, 0)):
                raise CalibrationError(
                    f"{self.path}: a compressed table cannot be continued; expand it with gunzip, "
                    "or choose another --output"
                )
            if os.fstat(self._file).st_size == 0:
                lines = [f"# {key}: {value}\n" for key, value in provenance.items()]
                self._write("".join(lines) + self._line(column.name for column in columns))
            found = read_table(self.path, columns)
            self._check(found, provenance)
            os.truncate(self._file, found.whole)
        except BlockingIOError:
            os.close(self._file)
            raise CalibrationError(f"{self.path}: another process is writing to the file") from None
        except BaseException:
            os.close(self._file)
            raise
        self.rows: list[dict[str, Any]] = found.rows
        """Measurements so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._file)

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a measurement to the file, given as values by column name."""
        self._write(self._line(_text(row.get(column.name)) for column in self._columns))
        self.rows.append(dict(row))

    def table(self) -> Table:
        """Return the current content of the file."""
        return read_table(self.path, self._columns)

    def _write(self, text: str) -> None:
        # A line is written by a single call, so that only an interrupted last line can be incomplete.
        try:
            os.write(self._file, text.encode())
        except OSError as error:
            raise CalibrationError(f"cannot write the measurements {self.path!r}: {error.strerror}") from None

    @staticmethod
    def _line(cells: Any) -> str:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(cells)
        return text.getvalue()

    def _check(self, found: Table, provenance: Mapping[str, str]) -> None:
        for key in _SAME:
            was, now = found.provenance.get(key), provenance.get(key)
            if was != now:
                raise CalibrationError(
                    f"{self.path}: measured with the {key} {was!r}, so it cannot be continued with {now!r}; "
                    "choose another --output, or move the file away"
                )


def remaining(planned: Sequence[Point], measured: Iterable[Hashable]) -> list[Point]:
    """Return the planned points not yet measured, in order. A plan may contain a point several times."""
    done = Counter(measured)
    left = []
    for point in planned:
        if done[point]:
            done[point] -= 1
        else:
            left.append(point)
    return left


def _text(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)
