"""Storage of results in a folder: one small file per simulated point, written completely or not at all."""

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pysmpi.errors import StudyError
from pysmpi.util import whole_file

__all__ = ["Store", "write_whole"]

_STATES = ("done", "failed", "killed")
_TABLES = ("printed", "reported", "better", "columns", "versions", "task")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Store:
    """Stored outcomes of a study's points, one file per point, found by the point's key. Outcomes are never deleted.

    Args:
        folder: folder of the results; created when the first result is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._points = folder / "points"

    def read(self, key: str) -> dict[str, Any] | None:
        """Return the stored outcome of a point (simulation), or None if the outcome is missing or damaged.

        Raises:
            StudyError: if permission to read the record is missing.
        """
        path = self._points / f"{key}.json"
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except PermissionError as error:
            raise StudyError(f"cannot read {str(path)!r}: {error.strerror}") from None
        except (OSError, ValueError, RecursionError):  # the record is damaged
            return None
        return record if _is_record(record) else None

    def write(self, key: str, record: dict[str, Any]) -> None:
        """Store the outcome of a point (simulation) under the point's key.

        Raises:
            StudyError: if the file cannot be written.
        """
        write_whole(self._points / f"{key}.json", json.dumps(record, indent=1).encode() + b"\n")

    def intervals(self, computation: str) -> Path:
        """Return the path of the file of measured intervals for the hash of a computation (`Point.computation`)."""
        return (self.folder / "intervals" / computation).resolve()

    def count(self) -> int:
        """Return the number of stored outcomes, including those of points whose inputs have changed since.

        Raises:
            StudyError: if the folder cannot be read.
        """
        try:
            return sum(name.endswith(".json") for name in os.listdir(self._points))
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise StudyError(f"cannot read {str(self._points)!r}: {error.strerror}") from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder inside this context, so that no other process simulates points into it.

        The lock is released even if the process is killed.

        Raises:
            StudyError: if another process holds the lock, or the folder cannot be created.
        """
        try:
            self._points.mkdir(parents=True, exist_ok=True)
            (self.folder / "intervals").mkdir(exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise self._refused(error) from None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for partial in self._points.glob("*.part"):  # left by a killed process
                    partial.unlink(missing_ok=True)
            except BlockingIOError:
                raise StudyError(
                    f"another process is running points of {str(self.folder)!r}; wait for its end, or choose "
                    "another folder"
                ) from None
            except OSError as error:
                raise self._refused(error) from None
            yield
        finally:
            os.close(lock)

    def _refused(self, error: OSError) -> StudyError:
        return StudyError(f"cannot store results in {str(self.folder)!r}: {error.strerror}")


def _is_record(value: Any) -> bool:
    """Return whether a value read from a JSON file has the form of an outcome as `Store.write` stores it."""
    if not isinstance(value, dict) or value.get("status") not in _STATES:
        return False
    tables = [value.get(name, {}) for name in _TABLES[:-1]]
    if not all(isinstance(table, dict) for table in tables):
        return False
    cells = [cell for table in tables for cell in table.values()]
    cells += [cell for name, cell in value.items() if name not in _TABLES]
    return all(cell is None or isinstance(cell, str | int | float) for cell in cells)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it appears only when complete.

    Raises:
        StudyError: if the file cannot be written; the message gives the reason.
    """
    try:
        whole_file.write_whole(path, content)
    except OSError as error:
        hint = "; free some space and run the study again; finished points are kept" if error.errno in _FULL else ""
        raise StudyError(f"cannot write {str(path)!r}: {error.strerror}{hint}") from None
