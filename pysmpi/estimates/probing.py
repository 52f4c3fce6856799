"""Probes of functions that have no rule: NaN in one element of the arguments shows which results depend on it.

A probe is right for linear functions such as convolutions and transforms. It is wrong for functions that compare, such
as sorting, because NaN takes another branch. It is therefore made only for functions that the user names.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.traced import current, is_traced, plain, result, values_of

__all__ = ["probed"]

_MOST = 4096  # largest number of elements of all traced arguments


def probed(name: str, function: Callable[..., Any], inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function of NumPy that has no rule, and find by experiments which values its result depends on.

    For each element of the arguments, the function is called again with NaN in this element. The elements of the result
    that are then NaN depend on it; this is recorded.

    Args:
        name: name of the function, for errors.
        function: the function.
        inputs: positional arguments.
        options: keyword arguments.

    Raises:
        EstimateError: the arguments have too many elements or are integers, or the function refuses NaN.
    """
    place = f"{current().here()}{name} cannot be probed: "
    taken = [number for number, each in enumerate(inputs) if is_traced(each)]
    data = function(*plain(inputs), **plain(options))
    parts = data if isinstance(data, tuple) else (data,)
    found = [result(each) for each in parts]
    if sum(inputs[number].size for number in taken) > _MOST:
        raise EstimateError(f"{place}its arguments have more than {_MOST:,} elements; take a smaller size")
    for number in taken:
        array = plain(inputs[number])
        if array.dtype.kind not in "fc":
            raise EstimateError(
                f"{place}an argument has integers, which cannot be NaN; add a rule with pysmpi.estimate_rule"
            )
        values = values_of(inputs[number])
        for index in np.ndindex(array.shape):
            changed = np.array(array)
            changed[index] = np.nan
            others = [changed if each == number else plain(inputs[each]) for each in range(len(inputs))]
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    marked = function(*others, **plain(options))
            except (ValueError, ArithmeticError) as error:
                raise EstimateError(f"{place}it refuses NaN ({error}); add a rule with pysmpi.estimate_rule") from None
            for each, traced in zip(marked if isinstance(marked, tuple) else (marked,), found, strict=True):
                current().flow(values[index], np.asarray(traced.val)[np.isnan(each)])
    current().probes.add(name)
    return type(data)(*found) if hasattr(data, "_fields") else tuple(found) if isinstance(data, tuple) else found[0]
