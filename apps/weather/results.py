"""Stored outcomes of the study: one JSON file with a list of points, which is written completely or not at all."""

import fcntl
import gzip
import json
import os
import pathlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from catalogue import figures_of, with_delays
from points import Point, key_of

from pysmpi.errors import LaunchError
from pysmpi.util.compressed import expanded
from pysmpi.util.whole_file import write_whole

Outcome = dict[str, Any]


class Results:
    """Outcomes in a file. Each outcome is written as soon as it is added, so that an interrupted study can go on.

    Args:
        path: the file, compressed if its name ends in .gz; it is created with the first outcome.

    Raises:
        LaunchError: the file is not a list of outcomes.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._outcomes = self._read()

    def _read(self) -> dict[str, Outcome]:
        try:
            stored = json.loads(expanded(self._path.read_bytes())) if self._path.exists() else []
            return {key_of(outcome): outcome for outcome in stored}
        except (ValueError, AttributeError) as error:
            raise LaunchError(f"{self._path}: not a list of outcomes: {error}; name another file") from None

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._outcomes.values())

    @property
    def ranks(self) -> list[int]:
        """Numbers of ranks of stored points, without repetition, the smallest first."""
        return sorted({outcome["ranks"] for outcome in self})

    def get(self, point: Point) -> Outcome | None:
        """Return the outcome of a point, or None if it is not stored.

        A point that reports delays stands for the same point without this report.
        """
        return self._outcomes.get(point.key) or self._outcomes.get(with_delays(point).key)

    def add(self, outcome: Outcome) -> None:
        """Add an outcome to those in the file, and write the file, with the names of the figures of each outcome.

        Several studies may write the same file at a time.
        """
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            self._outcomes = self._read() | {key_of(outcome): outcome}
            rows = [row | {"figures": _figures(row)} for row in sorted(self._outcomes.values(), key=_order)]
            lines = ",\n".join(json.dumps(row) for row in rows)
            content = f"[\n{lines}\n]\n".encode()
            # Without a date, the same outcomes are the same bytes.
            write_whole(self._path, gzip.compress(content, mtime=0) if self._path.suffix == ".gz" else content)
        finally:
            os.close(folder)


def _order(outcome: Outcome) -> tuple[Any, ...]:
    return outcome["pattern"], outcome["machine"], outcome["model"], outcome["ranks"], key_of(outcome)


def _figures(outcome: Outcome) -> list[str]:
    point = Point.of(outcome)
    known = figures_of(point.ranks, point.model)
    return sorted({name for key in (point.key, replace(point, delays=None).key) for name in known.get(key, [])})
