"""Stored outcomes of the study: one JSON file with a list of points, which is written completely or not at all."""

import gzip
import json
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

from catalogue import Curve, points, with_delays
from points import Point

from pysmpi.errors import LaunchError
from pysmpi.util.compressed import expanded
from pysmpi.util.whole_file import write_whole

Outcome = dict[str, Any]
"""Description of a point (`Point.description`) together with its outcome (`Point.outcome`)."""


class Results:
    """Outcomes in a file.

    Args:
        path: the file, compressed if its name ends in .gz; if it does not exist, there are no outcomes.

    Raises:
        LaunchError: the file is not a list of outcomes.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self._outcomes = self._read()

    def _read(self) -> dict[Point, Outcome]:
        try:
            stored = json.loads(expanded(self.path.read_bytes())) if self.path.exists() else []
            return {Point.stored(outcome): outcome for outcome in stored}
        except (ValueError, TypeError, KeyError) as error:
            raise LaunchError(f"{self.path}: not a list of outcomes: {error}; name another file") from None

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._outcomes.values())

    @property
    def ranks(self) -> list[int]:
        """Numbers of ranks of stored points, without repetition, the smallest first."""
        return sorted({point.ranks for point in self._outcomes})

    def get(self, point: Point) -> Outcome | None:
        """Return the outcome of a point, or None if it is not stored.

        A point that reports delays stands for the same point without this report.
        """
        return self._outcomes.get(point) or self._outcomes.get(with_delays(point))

    def best(self, curve: Curve, ranks: int, model: str) -> Outcome | None:
        """Return the outcome with the shortest time among a curve's points for a number of ranks, or None unless all
        of them are stored."""
        found = [self.get(point) for point in curve.points(ranks, model)]
        stored = [outcome for outcome in found if outcome is not None]
        if len(stored) < len(found):
            return None
        return min(stored, key=lambda outcome: float(outcome["seconds"] or 0), default=None)

    def missing(self, figures: Iterable[str], ranks: Iterable[int], model: str) -> list[Point]:
        """Return the points of figures that are not stored, those with few ranks first."""
        pairs = [(name, count) for count in sorted(ranks) for name in figures]
        named = dict.fromkeys(point for name, count in pairs for point in points(name, count, model))
        wanted = {point for point in named if self.get(point) is None}
        return [point for point in named if point in wanted and (point.delays or with_delays(point) not in wanted)]

    def add(self, outcomes: dict[Point, Outcome]) -> None:
        """Add outcomes to those in the file, and write the file; the same outcomes are the same bytes."""
        self._outcomes = self._read() | outcomes
        lines = ",\n".join(json.dumps(self._outcomes[point]) for point in sorted(self._outcomes, key=_order))
        content = f"[\n{lines}\n]\n".encode()
        write_whole(self.path, gzip.compress(content, mtime=0) if self.path.suffix == ".gz" else content)


def _order(point: Point) -> tuple[Any, ...]:
    return point.pattern, point.machine, point.model, point.ranks, json.dumps(point.description, sort_keys=True)
