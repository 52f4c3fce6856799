"""The order of values: numbers by their size, whatever their unit, then texts."""

import re

from pysmpi.study.table import Cell

__all__ = ["number_of", "sort_key"]

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([kMGTPEmunp]?)(i?)([A-Za-z/]*)$")
_SCALES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "m": 1e-3, "u": 1e-6, "n": 1e-9,
           "p": 1e-12}  # fmt: skip
_BINARY = {"": 1.0, "k": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
_BITS = "bps"


def number_of(value: Cell) -> float | None:
    """The number that a value is, in basic units: 1.25e9 for "10Gbps"; None for other texts."""
    if isinstance(value, int | float):
        return float(value)
    match = _QUANTITY.match(value) if isinstance(value, str) else None
    if match is None:
        return None
    scale = (_BINARY.get(match[2], 1.0) if match[3] else _SCALES[match[2]]) * (0.125 if match[4] == _BITS else 1.0)
    return float(match[1]) * scale


def sort_key(value: Cell) -> tuple[int, float, str]:
    """For `sorted`."""
    number = number_of(value)
    return (0, number, "") if number is not None else (1, 0.0, str(value))
