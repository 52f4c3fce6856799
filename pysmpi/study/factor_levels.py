"""Levels of factors: a list of values, or a range of numbers with an optional unit."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pysmpi.errors import StudyError, unknown

__all__ = ["Levels", "Range", "Value", "levels_of"]

Value = str | int | float | bool

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*$")
_DIGITS = 6  # significant digits of numbers taken from a range
_MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class Range:
    """Range of numbers, both ends included.

    Attributes:
        low: least number.
        high: greatest number.
        unit: unit appended to each number, such as "Gbps", or "" for plain numbers.
        whole: whether the numbers are whole.
        logarithmic: whether steps have equal ratios, not equal differences.
        steps: number of values in a crossed design, or None for a range that only sampled designs can use.
    """

    low: float
    high: float
    unit: str = ""
    whole: bool = False
    logarithmic: bool = False
    steps: int | None = None

    def at(self, share: float) -> Value:
        """Return the value at a share (0 to 1) of the way from low to high, rounded and with the unit."""
        if self.logarithmic:
            number = math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low)))
        else:
            number = self.low + share * (self.high - self.low)
        if self.whole:
            return self._written(round(number))
        return self._written(float(f"{number:.{_DIGITS}g}"))

    def values(self) -> tuple[Value, ...]:
        """Return the values of the range that a crossed design uses, without duplicates.

        Raises:
            StudyError: if the range has no steps.
        """
        if self.steps is None:
            raise StudyError(
                "a range without steps is valid only in a sampled design; write steps = 5, or a list of values"
            )
        shares = [step / (self.steps - 1) for step in range(self.steps)] if self.steps > 1 else [0.0]
        return tuple(dict.fromkeys(self.at(share) for share in shares))

    def _written(self, number: float) -> Value:
        return f"{number:g}{self.unit}" if self.unit else number


Levels = tuple[Value, ...] | Range


def levels_of(given: Any) -> Levels:
    """Return the levels that a description gives: a list, or a table with low, high, scale and steps.

    Raises:
        StudyError: if `given` is neither a list nor a valid table, is empty, or repeats a value.
    """
    if isinstance(given, Range):
        return given
    if isinstance(given, Mapping):
        return _range(given)
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise StudyError(f"{given!r} is not valid; write a list of values or a range such as {{low = 1, high = 16}}")
    if not given:
        raise StudyError("the list of values is empty")
    for value in given:
        if isinstance(value, Mapping):
            raise StudyError(
                f"{dict(value)!r} is a table, not one value; list values that belong together as [[points]], or derive "
                "the others from one of them in [derived]"
            )
        if not isinstance(value, str | int | float):
            raise StudyError(f"{value!r} is not a string, a number or a boolean")
    seen: list[Value] = []
    for value in given:
        if value in seen:
            same = seen[seen.index(value)]
            if type(value) is not type(same):
                raise StudyError(f"{same!r} and {value!r} are equal numbers in a table; write one of them as a string")
            raise StudyError(f"{value!r} is listed twice; to repeat points use replicates")
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
        raise StudyError(f"low has {low_unit or 'no unit'}, high has {high_unit or 'no unit'}; give both the same unit")
    if low >= high:
        raise StudyError(f"low = {given['low']!r} must be below high = {given['high']!r}")
    scale = given.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise StudyError(unknown("scale", str(scale), ("linear", "log")))
    if scale == "log" and low <= 0:
        raise StudyError(f"low = {given['low']!r} must be above 0 on a logarithmic scale")
    steps = given.get("steps")
    if steps is not None and (not isinstance(steps, int) or isinstance(steps, bool) or not 2 <= steps <= _MOST_STEPS):
        raise StudyError(f"steps = {steps!r} is not valid; write a whole number from 2 to {_MOST_STEPS:,}")
    whole = isinstance(given["low"], int) and isinstance(given["high"], int)
    return Range(low, high, low_unit, whole, scale == "log", steps)


def _number(given: Any) -> tuple[float, str]:
    match = _NUMBER.match(given) if isinstance(given, str) else None
    plain = isinstance(given, int | float) and not isinstance(given, bool)
    if match is None and not plain:
        raise StudyError(f"{given!r} is not a number; write a number, or a number with a unit such as '10Gbps'")
    try:
        number = float(given if match is None else match[1])
    except OverflowError:  # whole number with hundreds of digits
        number = math.inf
    if not math.isfinite(number):
        raise StudyError(f"{given!s:.40} is not a finite number")
    return number, "" if match is None else match[2]
