"""Measurements of one metric, read from a file of Extra-P or from the table of a study."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Series", "finite_numbers"]


@dataclass(frozen=True)
class Series:
    """Measurements of one metric in one call path of a program, at several points (values of the parameters).

    Attributes:
        callpath: call path, or any other name.
        metric: name of the metric.
        points: coordinates of each measured point, in the order of the parameters.
        values: measured values at each point, one or more.
    """

    callpath: str
    metric: str
    points: Sequence[Sequence[float]]
    values: Sequence[Sequence[float]]

    @property
    def means(self) -> list[float]:
        """Mean of the values at each point."""
        return [sum(values) / len(values) for values in self.values]


def finite_numbers(value: Any) -> list[float] | None:
    """Return a number or a list of numbers from a JSON file as a list of floats.

    Returns None if `value` is or contains anything that is not a finite number.
    """
    numbers = value if isinstance(value, list) else [value]
    valid = all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers)
    return [float(each) for each in numbers] if valid and all(map(_is_finite, numbers)) else None


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(float(number))
    except OverflowError:
        return False
