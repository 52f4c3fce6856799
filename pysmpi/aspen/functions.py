"""Functions and powers of ten that expressions may use, on numbers and on NumPy arrays."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy

__all__ = ["FUNCTIONS", "POWERS_OF_TEN", "FunctionRule"]


@dataclass(frozen=True)
class FunctionRule:
    """Function of expressions.

    Attributes:
        apply: implementation for arrays.
        number: implementation for numbers, which may raise ValueError or OverflowError.
        least: least number of arguments.
        most: largest number of arguments, or None for any.
    """

    apply: Callable[..., Any]
    number: Callable[..., float]
    least: int = 1
    most: int | None = 1


FUNCTIONS: dict[str, FunctionRule] = {
    "max": FunctionRule(lambda *values: reduce(numpy.maximum, values), lambda *values: max(values), most=None),
    "min": FunctionRule(lambda *values: reduce(numpy.minimum, values), lambda *values: min(values), most=None),
    "log": FunctionRule(numpy.log, math.log),
    "log2": FunctionRule(numpy.log2, math.log2),
    "log10": FunctionRule(numpy.log10, math.log10),
    "sqrt": FunctionRule(numpy.sqrt, math.sqrt),
    "ceil": FunctionRule(numpy.ceil, math.ceil),
    "floor": FunctionRule(numpy.floor, math.floor),
    "exp": FunctionRule(numpy.exp, math.exp),
    "abs": FunctionRule(numpy.abs, abs),
}
"""Functions by name; log is the natural logarithm."""

POWERS_OF_TEN = {
    "nano": 1e-9, "micro": 1e-6, "milli": 1e-3, "kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12, "peta": 1e15,
    "exa": 1e18,
}  # fmt: skip
"""Names of numbers; a parameter of the same name goes before them."""
