"""A table that measurements are added to one by one: what was measured stays, however the run ends."""

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

__all__ = ["Campaign", "remaining"]

Point = TypeVar("Point", bound=Hashable)

# What must not differ between the parts of an interrupted campaign: with other options it would be another one.
_SAME = ("part", "host", "options")


class Campaign:
    """A file that grows by a line with each measurement, each written at once.

    A file that is there is continued: `rows` holds what it has, less a last line that was cut off.

    Args:
        path: of the file.
        columns: of each measurement, in their order.
        provenance: what is told of it in the file's first lines.

    Raises:
        CalibrationError: the file is of another part, host or options, cannot be written, or another process writes it.
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
            if os.fstat(self._file).st_size == 0:
                lines = [f"# {key}: {value}\n" for key, value in provenance.items()]
                self._write("".join(lines) + self._line(column.name for column in columns))
            found = read_table(self.path, columns)
            self._check(found, provenance)
            os.truncate(self._file, found.whole)
        except BlockingIOError:
            os.close(self._file)
            raise CalibrationError(f"{self.path}: another process is measuring into it") from None
        except BaseException:
            os.close(self._file)
            raise
        self.rows: list[dict[str, Any]] = found.rows
        """All measurements so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._file)

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a measurement, by name of column."""
        self._write(self._line(_text(row.get(column.name)) for column in self._columns))
        self.rows.append(dict(row))

    def table(self) -> Table:
        """Return the file as it is now."""
        return read_table(self.path, self._columns)

    def _write(self, text: str) -> None:
        # One call: a line is there as a whole, or is the last one and has no end.
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
                    f"{self.path}: it was measured with the {key} {was!r}, and is not continued with {now!r}; "
                    "take another --output, or move it away"
                )


def remaining(planned: Sequence[Point], measured: Iterable[Hashable]) -> list[Point]:
    """What of a plan has not been measured yet, in its order. A plan may have a point several times."""
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
