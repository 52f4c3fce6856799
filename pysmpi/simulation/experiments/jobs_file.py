"""Job files, which describe several jobs: ``pysmpirun --jobs FILE``."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pysmpi.errors import LaunchError, unknown
from pysmpi.simulation.launch.placement import MAPPINGS
from pysmpi.util.documents import Document, read_text

__all__ = ["JobDescription", "parse_jobs", "read_jobs"]

_LATEST = 1_000_000_000  # seconds; a later clock would lose the digits in which jobs differ
_KINDS: dict[str, tuple[Any, str]] = {
    "program": (str | os.PathLike, "a string"),
    "ranks": (int, "a whole number"),
    "seed": (int, "a whole number"),
    "start": (int | float, "a number of seconds"),
    "arguments": (Sequence, "a list of strings"),
    "hosts": (Sequence, "a list of strings"),
    "hostfile": (str | os.PathLike | None, "a string"),
}


class _Complaint(LaunchError):
    """Error in the value of one key of a job's table."""

    slug = "job-description"

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class JobDescription:
    """Description of a job.

    Attributes:
        program: path of a script.
        ranks: number of ranks.
        name: name of the job; the script's name by default.
        arguments: arguments of the program.
        start: simulated seconds at which the job starts.
        hosts: names of the hosts whose cores the job may use; empty for all free cores.
        hostfile: path of a hostfile as for pysmpirun, in place of `hosts`, or None.
        mapping: mapping of ranks to the cores of the job: "sequential", "round-robin" or "random".
        seed: seed of a random mapping.

    Raises:
        LaunchError: if a value is not valid.
    """

    program: str
    ranks: int
    name: str = ""
    arguments: Sequence[str] = ()
    start: float = 0.0
    hosts: Sequence[str] = ()
    hostfile: str | None = None
    mapping: str = "sequential"
    seed: int = 0

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_kind(each.name, getattr(self, each.name))
        if not self.name:
            object.__setattr__(self, "name", Path(self.program).stem)
        for key, value, least in (("ranks", self.ranks, 1), ("start", self.start, 0), ("seed", self.seed, 0)):
            if value < least:
                raise _Complaint(key, f"{key} = {value} is too small; the least valid value is {least}")
        if not self.start <= _LATEST:
            raise _Complaint(
                "start", f"start = {self.start!s:.40} is not valid; write a number of seconds from 0 to {_LATEST:,}"
            )
        if self.mapping not in MAPPINGS:
            raise _Complaint("mapping", unknown("mapping", self.mapping, MAPPINGS))
        if self.hosts and self.hostfile is not None:
            raise _Complaint("hostfile", "hosts and hostfile exclude each other; remove one")
        if self.hostfile is not None and self.mapping != "sequential":
            raise _Complaint(
                "mapping", f"mapping {self.mapping!r} is not valid with a hostfile, which places each rank; remove one"
            )


def read_jobs(path: str | os.PathLike[str]) -> list[JobDescription]:
    """Return the jobs of a TOML file, one per table ``[[jobs]]``; relative paths start at the file's folder.

    Raises:
        LaunchError: if the file is not valid; the message starts with file and line.
    """
    return parse_jobs(read_text(Path(path), LaunchError), Path(path))


def parse_jobs(text: str, path: Path) -> list[JobDescription]:
    """Return the jobs described by the text of a job file.

    Raises:
        LaunchError: if the text is not valid; the message starts with file and line.
    """
    document = Document.parse(text, path, LaunchError)
    for key in document.content:
        if key != "jobs":
            raise document.error([key], unknown("key", key, ["jobs"]))
    tables = document.content.get("jobs")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise LaunchError(f"{path}: no jobs found; describe each job in a table [[jobs]]")
    found: list[JobDescription] = []
    for number, table in enumerate(tables, 1):
        try:
            job = _description(table, path.parent)
            if job.name in (other.name for other in found):
                raise _Complaint("name", f"the name {job.name!r} is used by another job; give each job its own name")
        except _Complaint as complaint:
            which = f"job {number} ({table.get('name') or table.get('program')})"
            raise document.error(["jobs", complaint.key], f"{which}: {complaint}", number) from None
        found.append(job)
    return found


def _check_kind(key: str, value: Any) -> None:
    kind, expected = _KINDS.get(key, (str, "a string"))
    if not isinstance(value, kind) or isinstance(value, bool) or (kind is Sequence and isinstance(value, str)):
        raise _Complaint(key, f"{key} = {value!r} is not {expected}")
    if kind is Sequence and not all(isinstance(word, str) for word in value):
        raise _Complaint(key, f"{key} = {value!r} is not {expected}; write the items in quotes")


def _description(table: dict[str, Any], folder: Path) -> JobDescription:
    valid = [each.name for each in fields(JobDescription)]
    for key, value in table.items():
        if key not in valid:
            raise _Complaint(key, unknown("key", key, valid))
        _check_kind(key, value)
    for key in ("program", "ranks"):
        if key not in table:
            raise _Complaint(key, f"{key} is missing")
    paths: dict[str, Any] = {key: str(folder / table[key]) for key in ("program", "hostfile") if key in table}
    return JobDescription(**{**table, **paths})
