"""Readable quantities: counts, times, sizes, bandwidths and speeds with a fitting unit."""

import re
from collections.abc import Sequence

__all__ = [
    "BYTE_UNITS",
    "counted",
    "human_bandwidth",
    "human_bytes",
    "human_seconds",
    "human_speed",
    "parse_bytes",
    "ranges",
    "scaled",
]

_SHOWN = 12  # largest number of runs of consecutive numbers that `ranges` lists
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]*)$")
BYTE_UNITS = {"": 1, "B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}
"""Number of bytes of each unit in which users may write sizes."""


def counted(count: int, what: str) -> str:
    """Return a count with its noun: "1 host", "4,096 hosts", "2 entries"."""
    plural = f"{what[:-1]}ies" if what.endswith("ry") else f"{what}s"
    return f"{count:,} {what if count == 1 else plural}"


def human_seconds(seconds: float) -> str:
    """Return a time as text: "12.3 us", "1.23 s", "1 h 02 min"."""
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.6g} s"
    for unit, scale in (("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.6g} {unit}"
    return f"{seconds * 1e9:.6g} ns"


def human_bytes(count: float) -> str:
    """Return a size as text, in units of 1,024 bytes: "1.5 MiB"."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"


def parse_bytes(text: str) -> int:
    """Return the number of bytes in a text such as "1000", "64KiB" or "1.5 MB".

    Raises:
        ValueError: the text is not a size, or not a whole number of bytes.
    """
    match = _SIZE.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not a valid size; write it like 1000, 64KiB or 1MB")
    if match[2] not in BYTE_UNITS:
        raise ValueError(f"{text!r} has the unknown unit {match[2]!r} (valid: {', '.join(filter(None, BYTE_UNITS))})")
    size = float(match[1]) * BYTE_UNITS[match[2]]
    if size != int(size):
        raise ValueError(f"{text!r} is not a whole number of bytes")
    return int(size)


def human_bandwidth(bandwidth: float) -> str:
    """Return a bandwidth in bytes/s as text, in units of 1,000: "12.5 GB/s"."""
    return f"{scaled(bandwidth)}B/s"


def human_speed(speed: float) -> str:
    """Return a speed in flop/s as text, in units of 1,000: "10 Gflop/s"."""
    return f"{scaled(speed)}flop/s"


def scaled(value: float) -> str:
    """Return a value of at least 0 as text with a decimal prefix, to be followed by a unit: "12.5 G"."""
    prefixes = ("", "k", "M", "G", "T", "P", "E")
    power = 0
    while value >= 1000 and power < len(prefixes) - 1:
        value /= 1000
        power += 1
    return f"{value:.6g} {prefixes[power]}"


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as short text: "0-3, 5, 7-9"."""
    pieces: list[str] = []
    begin = previous = numbers[0]
    for number in [*numbers[1:], None]:
        if number is not None and number == previous + 1:
            previous = number
            continue
        pieces.append(str(begin) if begin == previous else f"{begin}-{previous}")
        if number is not None:
            begin = previous = number
    if len(pieces) > _SHOWN:
        return ", ".join(pieces[: _SHOWN - 1]) + ", …, " + pieces[-1]
    return ", ".join(pieces)
