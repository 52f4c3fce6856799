"""Results in a folder: a small file for each point that has been simulated, written whole or not at all."""

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
_TABLES = ("printed", "reported", "versions", "task")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Store:
    """The results of a study, by the keys of its points. Nothing is ever deleted.

    Args:
        folder: where they are; it is made when the first is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._points = folder / "points"

    def read(self, key: str) -> dict[str, Any] | None:
        """What is known of a point; None when it is to be simulated.

        Raises:
            StudyError: it is there, but others may not read it.
        """
        path = self._points / f"{key}.json"
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except PermissionError as error:
            raise StudyError(f"cannot read {str(path)!r}: {error.strerror}") from None
        except (OSError, ValueError):  # a disk has lost a part of it
            return None
        return record if _is_record(record) else None

    def write(self, key: str, record: dict[str, Any]) -> None:
        """Keeps what came of a point.

        Raises:
            StudyError: the file cannot be written.
        """
        write_whole(self._points / f"{key}.json", json.dumps(record, indent=1).encode() + b"\n")

    def count(self) -> int:
        """How many points have been kept, those of former inputs included.

        Raises:
            StudyError: the folder cannot be read.
        """
        try:
            return sum(name.endswith(".json") for name in os.listdir(self._points))
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise StudyError(f"cannot read {str(self._points)!r}: {error.strerror}") from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps others from running points of the same folder at the same time; a process that is killed lets go.

        Raises:
            StudyError: another process does so, or the folder cannot be made.
        """
        try:
            self._points.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise self._refused(error) from None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for partial in self._points.glob("*.part"):  # of a process that was killed
                    partial.unlink(missing_ok=True)
            except BlockingIOError:
                raise StudyError(f"another process is running points of {str(self.folder)!r}") from None
            except OSError as error:
                raise self._refused(error) from None
            yield
        finally:
            os.close(lock)

    def _refused(self, error: OSError) -> StudyError:
        return StudyError(f"results cannot be kept in {str(self.folder)!r}: {error.strerror}")


def _is_record(value: Any) -> bool:
    """Whether it is what `Store.write` keeps, and not something that others have left there."""
    if not isinstance(value, dict) or value.get("status") not in _STATES:
        return False
    tables = [value.get(name, {}) for name in ("printed", "reported", "versions")]
    if not all(isinstance(table, dict) for table in tables):
        return False
    cells = [cell for table in tables for cell in table.values()]
    cells += [cell for name, cell in value.items() if name not in _TABLES]
    return all(cell is None or isinstance(cell, str | int | float) for cell in cells)


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file that is there with all its content once this returns, and not at all before.

    Raises:
        StudyError: it cannot be written; the message tells why.
    """
    try:
        whole_file.write_whole(path, content)
    except OSError as error:
        hint = "; make room, and run the study again: nothing that was finished is lost" if error.errno in _FULL else ""
        raise StudyError(f"cannot write {str(path)!r}: {error.strerror}{hint}") from None
