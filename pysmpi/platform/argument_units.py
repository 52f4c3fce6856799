"""Speeds, bandwidths and times from Python callers: text with a unit, or a number in flop/s, bytes/s or seconds."""

import math
from collections.abc import Callable, Sequence
from numbers import Real

from pysmpi.errors import PlatformError
from pysmpi.platform import units

__all__ = ["Quantity", "bandwidth_of", "optional_bandwidth_of", "speeds_of", "time_of", "whole_number", "whole_numbers"]

Quantity = str | float
"""Text with a unit, such as "10Gf", "12.5GBps" or "1us", or a number."""

MOST = 2**31 - 1


def _value(
    value: object, what: str, parse: Callable[[str, str], float], example: str, *, least_excluded: bool
) -> float:
    if isinstance(value, str):
        return parse(value, what)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise PlatformError(f"{what} is {value!r}; give text with a unit, such as {example!r}, or a number")
    number = float(value)
    if not math.isfinite(number) or number < 0 or (least_excluded and number == 0):
        raise PlatformError(
            f"{what} is {value!r}; it must be finite and {'above 0' if least_excluded else '0 or more'}"
        )
    return number


def bandwidth_of(value: Quantity, what: str) -> float:
    """Convert a value to a bandwidth above zero, in bytes per second."""
    return _value(value, what, units.parse_bandwidth, "12.5GBps", least_excluded=True)


def optional_bandwidth_of(value: Quantity | None, what: str) -> float:
    """Convert a value to a bandwidth in bytes per second, or to 0 if it is None or zero."""
    if value is None or (isinstance(value, str) and not value.strip("0. ")):
        return 0.0
    if not isinstance(value, str) and value == 0:
        return 0.0
    return bandwidth_of(value, what)


def time_of(value: Quantity, what: str) -> float:
    """Convert a value to a time of zero or more, in seconds."""
    return _value(value, what, units.parse_time, "1us", least_excluded=False)


def speeds_of(value: Quantity | Sequence[Quantity], what: str) -> list[float]:
    """Return the speed in each performance state, in flop per second.

    The value is one speed, text with several speeds separated by commas, or a sequence.
    """
    if isinstance(value, str):
        return units.parse_speeds(value, what)
    values = list(value) if isinstance(value, Sequence) else [value]
    if not values:
        raise PlatformError(f"{what} is empty; give one speed, or one for each performance state")
    return [_value(each, what, units.parse_speed, "10Gf", least_excluded=True) for each in values]


def whole_number(value: object, what: str, *, least: int = 1) -> int:
    """Return the value if it is a whole number from `least` to 2**31 - 1, otherwise raise PlatformError."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        raise PlatformError(f"{what} is {value!r}; give a whole number from {least} to {MOST}")
    return value


def whole_numbers(values: Sequence[int], what: str, *, like: Sequence[int] | None = None, other: str = "") -> list[int]:
    """Return the values as a list of whole numbers.

    If the sequence ``like`` is given, there must be as many values as it has. Errors call it ``other``.
    """
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise PlatformError(f"{what} is {values!r}; give a sequence of whole numbers, such as (4, 4)")
    found = [whole_number(value, f"{what}[{place}]") for place, value in enumerate(values)]
    if like is not None and len(found) != len(like):
        raise PlatformError(f"{what} has {len(found)} numbers, but {other} has {len(like)}; give one for each")
    return found
