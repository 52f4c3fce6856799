"""Parsers of the values of settings and options. Each raises ValueError if the text is not valid."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from pysmpi.errors import nearest
from pysmpi.util.quantities import BYTE_UNITS

__all__ = [
    "OF_HOST",
    "Step",
    "UnknownChoiceError",
    "bandwidth",
    "buffer",
    "choice",
    "factors",
    "flag",
    "host_speed",
    "number",
    "number_above",
    "only_yes",
    "overheads",
    "penalties",
    "private_library",
    "rate_of_core",
    "seconds",
    "several",
    "threshold",
    "whole",
    "whole_bytes",
    "whole_or_auto",
]

# Step of a table by message size: (size, value, value per byte) applies to sizes strictly above `size`.
Step = tuple[float, float, float]

_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "m": 60.0, "h": 3600.0, "d": 86400.0,
            "w": 604800.0}  # fmt: skip
_FLOPS = {"": 1.0, "f": 1.0, "kf": 1e3, "Mf": 1e6, "Gf": 1e9, "Tf": 1e12, "Pf": 1e15, "Ef": 1e18}
_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Z]*)\s*$")
_YES = ("yes", "on", "true", "1")
_NO = ("no", "off", "false", "0")


class UnknownChoiceError(ValueError):
    """Error for a word that is not a valid choice.

    Args:
        word: word that the user gave.
        match: most similar valid word, or None.

    Attributes:
        word_and_hint: the word in quotes, and the nearest match.
    """

    def __init__(self, word: str, match: str | None) -> None:
        self.word_and_hint = f"{word!r}; did you mean {match!r}?" if match is not None else repr(word)
        super().__init__(f"unknown value {self.word_and_hint}")


def _quantity(text: str, units: Mapping[str, float]) -> float:
    match = _QUANTITY.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not a number")
    if match[2] not in units:
        known = ", ".join(unit for unit in units if unit)
        raise ValueError(f"unknown unit {match[2]!r} (valid: {known})" if known else f"{text!r} has a unit")
    return float(match[1]) * units[match[2]]


def number(minimum: float) -> Callable[[str], float]:
    """Return a parser of numbers that are `minimum` or more."""

    def parse(text: str) -> float:
        value = _quantity(text, {"": 1.0})
        return _at_least(value, minimum)

    return parse


def number_above(limit: float) -> Callable[[str], float]:
    """Return a parser of numbers above `limit`."""

    def parse(text: str) -> float:
        value = _quantity(text, {"": 1.0})
        if not math.isfinite(value) or value <= limit:
            raise ValueError(f"{value:g} is not above {limit:g}")
        return value

    return parse


def bandwidth(text: str) -> list[tuple[float, float]]:
    """Parse memory bandwidths in bytes/s.

    The text is one number, or ``bytes:bandwidth`` steps separated by semicolons. Each bandwidth applies from its number
    of bytes on, which is a reuse distance or a size. The result is a list of (bytes, bandwidth).
    """
    if ":" not in text:
        return [(0.0, number_above(0.0)(text))]
    return [(step[0], step[1]) for step in factors(0.0)(text)]


OF_HOST = "host"
"""Value of settings that follow from a host's processor."""


def rate_of_core(text: str) -> str | list[tuple[float, float]]:
    """Parse rates of a core in bytes/s: `OF_HOST`, or a list of (bytes, rate), which is empty for "0"."""
    if text.strip() in (OF_HOST, "0"):
        return OF_HOST if text.strip() == OF_HOST else []
    return bandwidth(text)


def penalties(text: str) -> tuple[float, ...]:
    """Parse InfiniBand's penalty factors: three positive numbers separated by semicolons."""
    parts = text.split(";")
    if len(parts) != 3:
        raise ValueError(f"expected three numbers separated by ';', found {len(parts)}")
    return tuple(map(number_above(0.0), parts))


def private_library(text: str) -> str:
    """Return the value of ``--private-libs`` if it is valid: a name, which ``=remap`` or ``=copy`` may follow."""
    name, separator, way = text.partition("=")
    if not name:
        raise ValueError(f"{text!r} has no name")
    if separator and way not in (ways := ("remap", "copy")):
        raise UnknownChoiceError(way, nearest(way, ways))
    return text


def seconds(minimum: float) -> Callable[[str], float]:
    """Return a parser of times of at least `minimum` seconds; a text without a unit is in seconds."""

    def parse(text: str) -> float:
        return _at_least(_quantity(text, _SECONDS), minimum)

    return parse


def whole(minimum: int) -> Callable[[str], float]:
    """Return a parser of whole numbers that are `minimum` or more and below 2**63."""
    return _whole_number(minimum, {"": 1.0})


def whole_bytes(minimum: int) -> Callable[[str], float]:
    """Return a parser of whole numbers of bytes from `minimum` to below 2**63, such as 32768, 32KiB or 1MB."""
    return _whole_number(minimum, BYTE_UNITS)


def _whole_number(minimum: int, units: Mapping[str, float]) -> Callable[[str], float]:
    def parse(text: str) -> float:
        value = _quantity(text, units)
        if value >= 2.0**63:
            raise ValueError(f"{text!r} is not below 2**63")
        if value == -math.inf or value != int(value):
            raise ValueError(f"{text!r} is not a whole number")
        return _at_least(value, minimum)

    return parse


def buffer(text: str) -> float:
    """Parse a number of bytes of at least 1; "inf" gives infinity."""
    return math.inf if text == "inf" else whole_bytes(1)(text)


def whole_or_auto(text: str) -> float:
    """Parse a whole number of at least 1; "auto" gives 0."""
    return 0.0 if text == "auto" else whole(1)(text)


def _at_least(value: float, minimum: float) -> float:
    if not math.isfinite(value) or value < minimum:
        raise ValueError(f"{value:g} is below {minimum:g}")
    return value


def threshold(text: str) -> float:
    """Parse a duration in seconds; a negative number gives infinity, as in SimGrid."""
    value = _quantity(text, _SECONDS)
    return value if value >= 0 else math.inf


def flag(text: str) -> float:
    """Return 1.0 for "yes", "on", "true" or "1" and 0.0 for "no", "off", "false" or "0", in any case."""
    if text.lower() in _YES:
        return 1.0
    if text.lower() in _NO:
        return 0.0
    raise ValueError(f"{text!r} is not one of {', '.join(_YES + _NO)}")


def only_yes(text: str) -> float:
    """Parse "yes", the only supported value of some settings; return 1.0."""
    if flag(text) != 1.0:
        raise ValueError(f"{text!r} is not supported; only 'yes' is")
    return 1.0


def choice(choices: tuple[str, ...], without: Mapping[str, str]) -> Callable[[str], str]:
    """Return a parser of one of several words.

    Args:
        choices: valid words.
        without: reason for each word that SimGrid accepts and pysmpi does not.
    """

    def parse(text: str) -> str:
        if text in choices:
            return text
        if text in without:
            raise ValueError(without[text])
        raise UnknownChoiceError(text, nearest(text, choices))

    return parse


def several(choices: tuple[str, ...], without: Mapping[str, str]) -> Callable[[str], tuple[str, ...]]:
    """Return a parser of words separated by commas; it returns the distinct words. An empty text gives no words.

    See `choice` for the arguments.
    """
    one = choice(choices, without)

    def parse(text: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one(word.strip()) for word in text.split(",") if word.strip()))

    return parse


def host_speed(text: str) -> float:
    """Parse the speed of a core in flop/s; return 0.0 for "auto"."""
    if text == "auto":
        return 0.0
    value = _quantity(text, _FLOPS)
    if value <= 0:
        raise ValueError(f"{text!r} is not a positive speed")
    return value


def factors(above: float | None) -> Callable[[str], list[Step]]:
    """Return a parser of factors by message size; each factor must be greater than `above`, unless `above` is None."""

    def parse(text: str) -> list[Step]:
        steps = _steps(text, 2, {"": 1.0})
        if above is not None and min(step[1] for step in steps) <= above:
            raise ValueError(f"a factor is not above {above:g}")
        return steps

    return parse


def overheads(text: str) -> list[Step]:
    """Parse overheads by message size: startup time in seconds, and time per byte."""
    return _steps(text, 3, _SECONDS)


def _steps(text: str, fields: int, units: dict[str, float]) -> list[Step]:
    steps: list[Any] = []
    for chunk in filter(None, (part.strip() for part in text.split(";"))):
        parts = chunk.split(":")
        if fields == 2 and len(parts) != 2:
            raise ValueError(f"{chunk!r} is not of the form size:factor")
        if fields == 3 and len(parts) < 2:
            raise ValueError(f"{chunk!r} is not of the form size:startup or size:startup:per-byte")
        if not parts[0].strip().isdecimal():
            raise ValueError(f"{parts[0]!r} in {chunk!r} is not a size in bytes")
        numbers = [_quantity(part, units) for part in parts[1:3]] + [0.0]
        if min(numbers) < 0:
            raise ValueError(f"{chunk!r} has a negative number")
        # SMPI writes its default overhead as 0:0:0:0:0, but reads only three fields.
        if any(_quantity(part, units) != 0 for part in parts[3:]):
            raise ValueError(f"{chunk!r} has more fields than size:startup:per-byte, which are all that SMPI reads")
        steps.append((float(parts[0]), numbers[0], numbers[1]))
    if not steps:
        raise ValueError("the list is empty")
    return sorted(steps, key=lambda step: step[0])
