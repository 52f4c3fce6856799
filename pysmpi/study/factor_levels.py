"""The values that a factor takes: a list of them, or a range of numbers, which may have a unit."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pysmpi.errors import StudyError, unknown

__all__ = ["Levels", "Range", "Value", "levels_of"]

Value = str | int | float | bool

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*$")
_DIGITS = 6  # of numbers from a range: as many as people read
_MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class Range:
    """Numbers from one to another.

    Attributes:
        low: the least.
        high: the greatest.
        unit: what is written behind each, such as "Gbps"; "": they are plain numbers.
        whole: they are whole numbers.
        logarithmic: equal factors are as far apart as each other, not equal differences.
        steps: into how many values a crossed design divides it; None: it is for samples only.
    """

    low: float
    high: float
    unit: str = ""
    whole: bool = False
    logarithmic: bool = False
    steps: int | None = None

    def at(self, share: float) -> Value:
        """The value at a share of the way from low to high, 0 to 1."""
        if self.logarithmic:
            number = math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low)))
        else:
            number = self.low + share * (self.high - self.low)
        if self.whole:
            return self._written(round(number))
        return self._written(float(f"{number:.{_DIGITS}g}"))

    def values(self) -> tuple[Value, ...]:
        """Those of a crossed design, each once.

        Raises:
            StudyError: it is not said how many.
        """
        if self.steps is None:
            raise StudyError("a range without steps is for samples: write steps = 5, or a list of values")
        shares = [step / (self.steps - 1) for step in range(self.steps)] if self.steps > 1 else [0.0]
        return tuple(dict.fromkeys(self.at(share) for share in shares))

    def _written(self, number: float) -> Value:
        return f"{number:g}{self.unit}" if self.unit else number


Levels = tuple[Value, ...] | Range


def levels_of(given: Any) -> Levels:
    """The values that a description gives: a list, or a table or mapping with low, high, scale and steps.

    Raises:
        StudyError: it is none of them, is empty, or has the same value twice.
    """
    if isinstance(given, Range):
        return given
    if isinstance(given, Mapping):
        return _range(given)
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise StudyError(f"{given!r} is neither a list of values nor a range such as {{low = 1, high = 16}}")
    if not given:
        raise StudyError("there are no values")
    for value in given:
        if not isinstance(value, str | int | float):
            raise StudyError(f"{value!r} is not a text, a number or a truth value")
    seen: list[Value] = []
    for value in given:
        if value in seen:
            same = seen[seen.index(value)]
            if type(value) is not type(same):
                raise StudyError(f"{same!r} and {value!r} are the same number to a table; write one of them as a text")
            raise StudyError(f"{value!r} is there twice; replicates say how often points are repeated")
        seen.append(value)
    return tuple(seen)


def _range(given: Mapping[str, Any]) -> Range:
    valid = ("low", "high", "scale", "steps")
    for key in given:
        if key not in valid:
            raise StudyError(unknown("part of a range", key, valid))
    for key in ("low", "high"):
        if key not in given:
            raise StudyError(f"the range has no {key}")
    low, low_unit = _number(given["low"])
    high, high_unit = _number(given["high"])
    if low_unit != high_unit:
        raise StudyError(f"low is in {low_unit or 'no unit'}, high in {high_unit or 'no unit'}: write both alike")
    if low >= high:
        raise StudyError(f"low is {given['low']!r}, which is not below high, {given['high']!r}")
    scale = given.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise StudyError(unknown("scale", str(scale), ("linear", "log")))
    if scale == "log" and low <= 0:
        raise StudyError(f"low is {given['low']!r}; on a logarithmic scale numbers are above 0")
    steps = given.get("steps")
    if steps is not None and (not isinstance(steps, int) or isinstance(steps, bool) or not 2 <= steps <= _MOST_STEPS):
        raise StudyError(f"steps is {steps!r}; valid are whole numbers from 2 to {_MOST_STEPS:,}")
    whole = isinstance(given["low"], int) and isinstance(given["high"], int)
    return Range(low, high, low_unit, whole, scale == "log", steps)


def _number(given: Any) -> tuple[float, str]:
    match = _NUMBER.match(given) if isinstance(given, str) else None
    plain = isinstance(given, int | float) and not isinstance(given, bool)
    if match is None and not plain:
        raise StudyError(f"{given!r} is not a number, or one with a unit such as '10Gbps'")
    try:
        number = float(given if match is None else match[1])
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if not math.isfinite(number):
        raise StudyError(f"{given!s:.40} is not a finite number")
    return number, "" if match is None else match[2]
