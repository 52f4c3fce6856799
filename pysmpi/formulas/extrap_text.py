"""Measurements in Extra-P's text format: lines that begin with PARAMETER, POINTS, REGION, METRIC or DATA."""

import math
import re
from pathlib import Path

from pysmpi.errors import ModelError, unknown
from pysmpi.formulas.expression import is_name
from pysmpi.formulas.series import Series

__all__ = ["read_extrap_text"]

FIELDS = ("PARAMETER", "POINTS", "REGION", "METRIC", "DATA")


def read_extrap_text(path: Path, text: str) -> tuple[list[str], list[Series]]:
    """Read measurements in the text format of Extra-P.

    Each DATA line has the repeated measurements at one point. The first DATA line after a REGION or METRIC belongs to
    the first of the POINTS, the second to the second, and so on. A point in several parameters is written as
    ``(4 256)``. Lines that begin with ``#`` are comments.

    Args:
        path: path of the file, for errors.
        text: contents of the file.

    Returns:
        Names of the parameters, and the measurements of each region (call path) and metric.

    Raises:
        ModelError: a line is not valid; the message begins with file and line.
    """
    reader = _Reader()
    lines = text.splitlines() or [""]
    number = 0
    try:
        while number < len(lines):
            number += 1
            word, *rest = lines[number - 1].split(maxsplit=1) or [""]
            if word and not word.startswith("#"):
                reader.field(word, rest[0].strip() if rest else "")
        return reader.finish()
    except ModelError as error:
        raise ModelError(f"{path}:{number}: {error}") from None


class _Reader:
    def __init__(self) -> None:
        self.parameters: list[str] = []
        self.points: list[tuple[float, ...]] = []
        self.region = self.metric = ""
        self.data: dict[tuple[str, str], list[list[float]]] = {}

    def field(self, word: str, rest: str) -> None:
        match word:
            case "PARAMETER":
                self.parameter(rest.split())
            case "POINTS":
                self.add_points(rest)
            case "REGION":
                self.begin(rest, self.metric)
            case "METRIC":
                self.begin(self.region, rest)
            case "DATA":
                self.add_data(rest.split())
            case _:
                raise ModelError(unknown("field", word, FIELDS))

    def parameter(self, names: list[str]) -> None:
        for name in names:
            if not is_name(name) or name in self.parameters:
                raise ModelError(f"parameter {name!r} is not a valid name, or is named twice")
            if self.points:
                raise ModelError("PARAMETER must stand before POINTS")
            self.parameters.append(name)

    def add_points(self, text: str) -> None:
        if not self.parameters:
            raise ModelError("POINTS must stand after PARAMETER")
        grouped = re.findall(r"\(([^()]*)\)", text)
        if "(" in text and re.sub(r"\([^()]*\)", "", text).strip():
            raise ModelError(f"points {text!r} are not of the form (4 256) (8 256)")
        # Without parentheses each number is a point, so with several parameters each point lacks coordinates.
        for group in grouped or text.split():
            point = tuple(map(_number, group.replace(",", " ").split()))
            if len(point) != len(self.parameters):
                names = f"{len(self.parameters)} parameter{'s' if len(self.parameters) != 1 else ''}"
                raise ModelError(f"point ({group}) has {len(point)} coordinates for {names}")
            if min(point) <= 0:
                raise ModelError(f"point ({group}) has a coordinate that is not positive")
            self.points.append(point)

    def begin(self, region: str, metric: str) -> None:
        self.check_count()
        self.region, self.metric = region, metric

    def add_data(self, words: list[str]) -> None:
        values = self.data.setdefault((self.region, self.metric), [])
        if len(values) == len(self.points):
            raise ModelError(f"more DATA lines than the {len(self.points)} POINTS")
        if not words:
            raise ModelError("DATA must have at least one value")
        values.append(list(map(_number, words)))

    def check_count(self) -> None:
        """Check that the current metric of the current region has a DATA line for each of the POINTS.

        Raises:
            ModelError: DATA lines are missing.
        """
        count = len(self.data.get((self.region, self.metric), self.points))
        if count != len(self.points):
            raise ModelError(
                f"metric {self.metric!r} of region {self.region!r} has {count} DATA lines for {len(self.points)} POINTS"
            )

    def finish(self) -> tuple[list[str], list[Series]]:
        self.check_count()
        if not self.data:
            raise ModelError(f"the file has no measurements: it needs the fields {', '.join(FIELDS)}, or must be JSON")
        return self.parameters, [Series(*key, self.points, values) for key, values in self.data.items()]


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise ModelError(f"{word!r} is not a number") from None
    if not math.isfinite(number):
        raise ModelError(f"{word!r} is not a finite number")
    return number
