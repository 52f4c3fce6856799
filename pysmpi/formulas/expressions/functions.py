"""Mathematical functions that expressions may call, for numbers and NumPy arrays.

Each language of expressions (`pysmpi.formulas.expressions.dialect.Dialect`) permits some of them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy

__all__ = ["FUNCTIONS", "POWER", "Rule"]


@dataclass(frozen=True)
class Rule:
    """Mathematical function, implemented for numbers and for arrays.

    Attributes:
        apply: implementation for arrays.
        number: implementation for numbers, which may raise ValueError or OverflowError.
    """

    apply: Callable[..., Any]
    number: Callable[..., float]

    def __call__(self, *values: Any) -> Any:
        return (self.number if all(isinstance(each, float) for each in values) else self.apply)(*values)


FUNCTIONS: dict[str, Rule] = {
    "max": Rule(lambda *values: reduce(numpy.maximum, values), lambda *values: max(values)),
    "min": Rule(lambda *values: reduce(numpy.minimum, values), lambda *values: min(values)),
    "log": Rule(numpy.log, math.log),
    "log2": Rule(numpy.log2, math.log2),
    "log10": Rule(numpy.log10, math.log10),
    "sqrt": Rule(numpy.sqrt, math.sqrt),
    "cbrt": Rule(numpy.cbrt, math.cbrt),
    "round": Rule(numpy.rint, lambda value: float(round(value))),
    "ceil": Rule(numpy.ceil, math.ceil),
    "floor": Rule(numpy.floor, math.floor),
    "exp": Rule(numpy.exp, math.exp),
    "abs": Rule(numpy.abs, abs),
}
"""Mathematical functions by name; log is the natural logarithm, and round takes halves to the even number."""

POWER = Rule(partial(numpy.power, dtype=float), math.pow)
