"""Order of table values: numbers by size in basic units, then texts."""

import re

from pysmpi.platform.units import BANDWIDTHS, SPEEDS, TIMES
from pysmpi.study.results_table import Cell

__all__ = ["number_of", "sort_key"]

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([kKMGTPEmunp]?)(i?)([A-Za-z/]*)$")
_SCALES = {"": 1.0, "k": 1e3, "K": 2.0**10, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "m": 1e-3,
           "u": 1e-6, "n": 1e-9, "p": 1e-12}  # fmt: skip
_BINARY = {"": 1.0, "k": 2.0**10, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50, "E": 2.0**60}
_OF_PLATFORMS = TIMES | BANDWIDTHS | SPEEDS


def number_of(value: Cell) -> float | None:
    """Return a value as a number in basic units, such as 1.25e9 (bytes/s) for "10Gbps", or None for text without a
    number."""
    if isinstance(value, int | float):
        return float(value)
    if value is None or (match := _QUANTITY.match(value)) is None:
        return None
    scale = _OF_PLATFORMS.get(value[match.end(1) :].strip())
    if scale is None:  # bytes, numbers with a prefix but no unit, or units that only the program knows
        scale = _BINARY[match[2]] if match[3] and match[2] in _BINARY else _SCALES[match[2]]
    return float(match[1]) * scale


def sort_key(value: Cell) -> tuple[int, float, str]:
    """Return a key that sorts numbers by size before all texts."""
    number = number_of(value)
    return (0, number, "") if number is not None else (1, 0.0, str(value))
