"""Numbers with units as SimGrid's platform files write them (comments of its simgrid.dtd; xbt_parse_units.cpp).

A unit is required, except for 0. (SimGrid 3.32 accepts 1 as 1 Bps with a warning; a forgotten unit then makes a machine
1e9 times too slow. Only speeds of platform files may lack it, because published files do:
`pysmpi.platform.interpretation`.)
"""

import difflib
import math
import re

from pysmpi.errors import PlatformError

__all__ = [
    "parse_bandwidth",
    "parse_bandwidths",
    "parse_coordinates",
    "parse_number",
    "parse_quantity",
    "parse_speed",
    "parse_speeds",
    "parse_time",
    "parse_whole_number",
    "written_bandwidth",
    "written_speed",
    "written_time",
]

NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(.*)", re.DOTALL | re.ASCII)
DECIMAL = ("k", "M", "G", "T", "P", "E", "Z", "Y")
DECIMAL_WORDS = ("kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta")
BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi")


def _scaled(unit: str, value: float, prefixes: tuple[str, ...], step: float) -> dict[str, float]:
    scale = {unit: value}
    for prefix in prefixes:
        value *= step
        scale[prefix + unit] = value
    return scale


TIMES = {
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "ps": 1e-12,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
}
BANDWIDTHS = (
    _scaled("Bps", 1.0, DECIMAL, 1000.0)
    | _scaled("bps", 0.125, DECIMAL, 1000.0)
    | _scaled("Bps", 1.0, BINARY, 1024.0)
    | _scaled("bps", 0.125, BINARY, 1024.0)
)
SPEEDS = _scaled("f", 1.0, DECIMAL, 1000.0) | _scaled("flops", 1.0, DECIMAL_WORDS, 1000.0)

EXAMPLES = {
    "s": "'{0}s' (seconds) or '{0}us'",
    "Bps": "'{0}Bps' (bytes/s) or '{0}GBps'",
    "f": "'{0}f' (flop/s) or '{0}Gf'",
}


def _named(what: str, text: str) -> str:
    """Return the name of a quantity with its text: "speed of host 'a'" and "1" give "speed '1' of host 'a'"."""
    quantity, of, owner = what.partition(" of ")
    return f"{quantity} {text!r}{of}{owner}"


def _parse(text: str, units: dict[str, float], what: str, basic: str) -> float:
    match = NUMBER.fullmatch(text)
    if match is None:
        raise PlatformError(f"{_named(what, text)} is not a number with a unit, such as '1{basic}'")
    number = float(match[1])
    unit = match[2].rstrip()
    if not unit and number != 0:
        raise PlatformError(f"{_named(what, text)} has no unit; write {EXAMPLES[basic].format(match[1])}")
    if unit and unit not in units:
        similar = difflib.get_close_matches(unit, units, n=1, cutoff=0.5)  # case-sensitive: b (bit) is not B (byte)
        hint = f"; did you mean {similar[0]!r}?" if similar else ""
        raise PlatformError(f"{_named(what, text)} has an unknown unit {unit!r}{hint} (valid: {', '.join(units)})")
    value = number * units.get(unit, 1.0)
    if not math.isfinite(value):
        raise PlatformError(f"{_named(what, text)} is out of range")
    return value


def _positive(text: str, units: dict[str, float], what: str, basic: str) -> float:
    value = _parse(text, units, what, basic)
    if value <= 0:
        raise PlatformError(f"{_named(what, text)} must be above 0")
    return value


def parse_time(text: str, what: str) -> float:
    """Parse a duration of zero or more; return seconds."""
    value = _parse(text, TIMES, what, "s")
    if value < 0:
        raise PlatformError(f"{_named(what, text)} is negative; it must be 0 or more")
    return value


def parse_bandwidth(text: str, what: str) -> float:
    """Parse a bandwidth above zero; return bytes per second."""
    return _positive(text, BANDWIDTHS, what, "Bps")


def parse_bandwidths(text: str, what: str) -> list[float]:
    """Parse bandwidths separated by commas or semicolons (only wireless links have more than one); return bytes per
    second."""
    return [parse_bandwidth(part, what) for part in re.split("[;,]", text)]


def parse_speed(text: str, what: str) -> float:
    """Parse a speed above zero; return flop per second."""
    value = _parse(text, SPEEDS, what, "f")
    if value <= 0:
        raise PlatformError(f"{_named(what, text)} must be above 0")
    return value


def parse_speeds(text: str, what: str) -> list[float]:
    """Parse speeds separated by commas, one for each performance state; return flop per second. Not all may be 0."""
    speeds = [_parse(part.strip(), SPEEDS, what, "f") for part in text.split(",")]
    if min(speeds) < 0 or max(speeds) == 0:
        raise PlatformError(f"{_named(what, text)} must be above 0")
    return speeds


_QUANTITIES = {"speed": (SPEEDS, "f"), "bandwidth": (BANDWIDTHS, "Bps"), "time": (TIMES, "s")}
_PRINTED = {"flop/s": "f", "B/s": "Bps", "bit/s": "bps"}  # units as pysmpi prints them


def parse_quantity(text: str, kind: str) -> float:
    """Return the value of an option in flop/s, bytes/s or seconds.

    The text is a number without a unit, or one with a unit as platform files have it ("10Gf", "25GBps", "2us"), or as
    pysmpi prints it ("10 Gflop/s").

    Args:
        text: the user's text.
        kind: "speed", "bandwidth" or "time".

    Raises:
        PlatformError: the text is not a number, or its unit is unknown.
    """
    try:
        return float(text)
    except ValueError:
        pass
    written = "".join(text.split())
    for printed, unit in _PRINTED.items():
        written = written.replace(printed, unit)
    units, basic = _QUANTITIES[kind]
    return _parse(written, units, kind, basic)


def parse_whole_number(text: str, what: str, least: int) -> int:
    """Parse a whole number from `least` to 999,999,999."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 9 and int(digits) >= least):
        raise PlatformError(f"{_named(what, text)} is not a whole number from {least} to 999999999")
    return int(digits)


def parse_number(text: str, what: str) -> float:
    """Parse a number of zero or more that has no unit."""
    try:
        number = float(text)
    except ValueError:
        raise PlatformError(f"{_named(what, text)} is not a number") from None
    if not 0 <= number < math.inf:
        raise PlatformError(f"{_named(what, text)} is not a number of 0 or more")
    return number


def parse_coordinates(text: str, what: str) -> tuple[float, ...]:
    """Parse three numbers separated by spaces; return x, y and height in milliseconds of latency."""
    words = text.split()
    if len(words) != 3:
        raise PlatformError(f"{_named(what, text)} is not three numbers separated by spaces, such as '25.5 -9.4 1.4'")
    coordinates = []
    for word in words:
        match = NUMBER.fullmatch(word)
        if match is None or match[2] or not math.isfinite(float(word)):
            raise PlatformError(f"{_named(what, text)}: {word!r} is not a number")
        coordinates.append(float(word))
    return tuple(coordinates)


def written_speed(value: float) -> str:
    """Return a speed in flop/s as platform files have it, such as "36Gf"; `parse_speed` returns the same value."""
    return _written(value, "f", DECIMAL, SPEEDS)


def written_bandwidth(value: float) -> str:
    """Return a bandwidth in bytes/s as platform files have it, such as "12.5GBps"; `parse_bandwidth` returns the same
    value."""
    return _written(value, "Bps", DECIMAL, BANDWIDTHS)


def written_time(value: float) -> str:
    """Return a time in seconds as platform files have it, such as "10us"; `parse_time` returns the same value."""
    return _written(value, "s", ("m", "u", "n", "p"), TIMES)


def _written(value: float, basic: str, prefixes: tuple[str, ...], units: dict[str, float]) -> str:
    """Return a value as text in the largest unit that does not exceed it, or in the basic unit if that text would not
    be exact."""
    choices = sorted((prefix + basic for prefix in ("", *prefixes)), key=units.__getitem__, reverse=True)
    for unit in choices:
        if value >= units[unit]:
            number = f"{value / units[unit]:.15g}"
            if "e" not in number and float(number) * units[unit] == value:
                return number + unit
            break
    return f"{value!r}".removesuffix(".0") + basic
