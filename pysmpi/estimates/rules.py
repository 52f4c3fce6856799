"""Rules of functions: a rule computes the result and records on which elements of the arguments each element depends.

This module registers the rules of some of NumPy's functions, and those that programs add. Most functions have no rule
of their own, because their row in `pysmpi.simulation.compute.numpy_functions.function_table` tells how their results
depend on their arguments.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates import axes
from pysmpi.estimates.traced import is_traced, plain, values_of
from pysmpi.simulation.compute.numpy_functions.function_table import named_functions

__all__ = ["ADDED", "RULES", "depends_on_all", "estimate_rule", "rule"]

RULES: dict[Any, Callable[..., Any]] = {}
"""Rules by function of NumPy. A rule takes the function's arguments and returns its result as a traced array."""

ADDED: dict[Any, Callable[..., Any]] = {}
"""Rules that users have added with `estimate_rule`, by function; they take precedence over those in `RULES`."""


def rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the rule of functions of NumPy, by their names (a decorator).

    Functions that the installed version of NumPy lacks are ignored.
    """

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        RULES.update(dict.fromkeys(named_functions(names), function))
        return function

    return add


def estimate_rule(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a rule for a function that array types can override by `__array_function__`, as NumPy's can (a decorator).

    While a program is traced, the decorated function is called instead of `function`, with the same arguments. It
    returns the result, computed by functions of NumPy that have rules or by `depends_on_all`.

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
    """Call a function, and record that each element of its result depends on all elements of all traced arguments.

    It is meant for rules of functions such as eigenvalue solvers; see the example of `estimate_rule`.

    Args:
        function: function of NumPy or SciPy.
        *inputs: its positional arguments.
        **options: its keyword arguments, on which the result is assumed not to depend.
    """
    data = function(*plain(inputs), **plain(options))
    sources = np.concatenate([values_of(each).reshape(-1) for each in inputs if is_traced(each)])
    if isinstance(data, tuple):
        found = [axes.meet_along(each, [sources], None, None) for each in data]
        return type(data)(*found) if hasattr(data, "_fields") else tuple(found)
    return axes.meet_along(data, [sources], None, None)
