"""Rules of NumPy's functions that have one of their own, and rules that programs add.

Most functions have no rule of their own: their row in `pysmpi.simulation.compute.numpy_functions.function_table` tells
how elements of the result depend on elements of the arguments.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates import axes
from pysmpi.estimates.traced import is_traced, plain, values_of
from pysmpi.simulation.compute.numpy_functions.function_table import named_functions

__all__ = ["ADDED", "RULES", "depends_on_all", "estimate_rule", "rule"]

RULES: dict[Any, Callable[..., Any]] = {}
"""Rules by function: each takes the function's arguments and returns its traced result."""

ADDED: dict[Any, Callable[..., Any]] = {}
"""Rules that programs have added; they replace others."""


def rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the rule of functions of NumPy, by their names (a decorator).

    Functions that the installed version of NumPy lacks are ignored.
    """

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        RULES.update(dict.fromkeys(named_functions(names), function))
        return function

    return add


def estimate_rule(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a rule for a function that dispatches as NumPy's do (a decorator).

    The decorated function takes the arguments of `function`. It returns the result made of NumPy's functions that have
    rules, or by `depends_on_all`. It replaces `function` while programs are traced.

    Example:
        >>> @pysmpi.estimate_rule(numpy.linalg.eigvalsh)
        ... def eigenvalues(a):
        ...     return depends_on_all(numpy.linalg.eigvalsh, a)
    """

    def add(rule: Callable[..., Any]) -> Callable[..., Any]:
        ADDED[function] = rule
        return rule

    return add


def depends_on_all(function: Callable[..., Any], *inputs: Any, **options: Any) -> Any:
    """Return the result of a function of which each element depends on all elements of all traced arguments."""
    data = function(*plain(inputs), **plain(options))
    sources = np.concatenate([values_of(each).reshape(-1) for each in inputs if is_traced(each)])
    if isinstance(data, tuple):
        found = [axes.meet_along(each, [sources], None, None) for each in data]
        return type(data)(*found) if hasattr(data, "_fields") else tuple(found)
    return axes.meet_along(data, [sources], None, None)
