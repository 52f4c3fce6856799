"""Functions of Python for numbers, as a traced program sees them: those of `math`, and the built-in max and min.

Python's own functions would take the number out of a traced scalar, so that the flow of its value would end there.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates.traced import TracedScalar, current, is_traced, plain, result, values_of

__all__ = ["SCALAR_FUNCTIONS", "extreme"]

_NAMES = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "copysign", "cos", "cosh", "degrees", "erf",
    "erfc", "exp", "exp2", "expm1", "fabs", "fma", "fmod", "gamma", "hypot", "ldexp", "lgamma", "log", "log10", "log1p",
    "log2", "pow", "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip


def _traced(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*inputs: Any) -> Any:
        if not any(map(is_traced, inputs)):
            return function(*inputs)
        return _computed(function(*plain(inputs)), inputs)

    call.__name__ = function.__name__
    return call


def extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a replacement of the built-in max or min, which records that the result depends on all arguments.

    Args:
        function: the built-in function.
    """

    def call(*inputs: Any, **options: Any) -> Any:
        if options or not inputs:
            return function(*inputs, **options)
        if len(inputs) > 1:
            elements = inputs
        elif is_traced(inputs[0]) or type(inputs[0]) in (list, tuple):
            elements = tuple(inputs[0])
        else:
            return function(*inputs)
        if any(type(each) is TracedScalar for each in elements):
            return _computed(function(plain(elements)), elements)
        return function(*inputs)

    call.__name__ = function.__name__
    return call


def _computed(data: Any, inputs: tuple[Any, ...]) -> Any:
    recorder = current()
    with recorder.one_event():
        found = result(np.asarray(data)[()])
        for each in inputs:
            if is_traced(each):
                recorder.flow(values_of(each), found.val)
        return found


SCALAR_FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: _traced(getattr(math, name)) for name in _NAMES if hasattr(math, name)
}
"""Replacements of functions of `math`, by name, which record that the result depends on the arguments."""
