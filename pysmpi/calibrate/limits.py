"""Limits of plausible values that several kinds of measurement share, each with its reason."""

from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["BANDWIDTH", "FORCED", "LATENCY", "MEMORY", "MOST_LOAD", "SPEED", "Limit", "outside"]

FORCED = "forced"
"""Key of the reasons why a calibration is not plausible, in model files that were written because of ``--force``."""

MOST_LOAD = 1.0
"""Load average per core above which nothing is measured, because other programs keep all cores busy."""


class Limit(NamedTuple):
    """Range of plausible values.

    Attributes:
        least: least value.
        most: greatest value.
        unit: unit of both.
        reason: reason why values outside the range are not plausible.
    """

    least: float
    most: float
    unit: str
    reason: str


LATENCY = Limit(1e-10, 10.0, "s", "light takes 0.1 ns for 3 cm, and 0.3 s to a satellite and back")
BANDWIDTH = Limit(1e3, 1e13, "bytes/s", "no link or memory of a host moves 10 TB/s for one pair of ranks")
SPEED = Limit(1e6, 1e14, "flop/s", "a core has done more than a Mflop/s since 1985, and does less than 100 Tflop/s")
MEMORY = Limit(1.0, 1e14, "bytes/s", "memory moves more than a byte/s, and no cache gives a core 100 TB/s")


def outside(place: str, value: Any, limit: Limit) -> Iterator[str]:
    """Yield an error text if a value of a model file is outside a limit; `place` describes the value."""
    number = float(value)
    if not limit.least <= number <= limit.most:
        unit = f" {limit.unit}" if limit.unit else ""
        yield (
            f"{place} is {number:.4g}{unit} (plausible: {limit.least:g} to {limit.most:g}{unit}, because "
            f"{limit.reason})"
        )
