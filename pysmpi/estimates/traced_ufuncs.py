"""Universal functions of NumPy, called with traced arrays: they record which values their results depend on.

The methods reduce, accumulate, reduceat, outer and at are included.
"""

from typing import Any

import numpy as np

from pysmpi.estimates import axes
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.products import product
from pysmpi.estimates.record import SUM, Array
from pysmpi.estimates.traced import (
    TracedArray,
    current,
    indices,
    is_traced,
    plain,
    result,
    stored_into,
    values_of,
    words_of,
)  # fmt: skip
from pysmpi.simulation.compute.numpy_functions.function_table import FUNCTIONS

__all__ = ["apply_ufunc"]


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the result of a universal function of NumPy, and record which values it depends on.

    The arguments are those of `numpy.ndarray.__array_ufunc__`; `method` is "__call__", "reduce", "accumulate",
    "reduceat", "outer" or "at".
    """
    with current().one_event():
        return _applied(ufunc, method, inputs, dict(options))


def _applied(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    out = options.pop("out", None)
    if ufunc.signature is not None and method == "__call__":
        described = FUNCTIONS.get(ufunc)
        if described is None or described.contraction is None:
            raise EstimateError(
                f"{current().here()}numpy.{ufunc.__name__} has no rule; use numpy.matmul or numpy.einsum"
            )
        found, _ = product(ufunc, described.contraction, inputs, options)
        return into(found, out)
    if method == "__call__":
        return _call(ufunc, inputs, options, out)
    if method == "reduce":
        return _reduce(ufunc, inputs, options, out)
    if method == "accumulate":
        axis = options.get("axis", inputs[1] if len(inputs) > 1 else 0)
        data = ufunc.accumulate(*plain(inputs), **plain(options))
        return into(axes.scanned(data, values_of(inputs[0]), axis), out)
    if method == "outer":
        a, b = inputs
        data = ufunc.outer(plain(a), plain(b), **plain(options))
        first = values_of(a)
        sources = [first.reshape(first.shape + (1,) * np.ndim(plain(b)))] if is_traced(a) else []
        return into(axes.map_result(data, [*sources, *([values_of(b)] if is_traced(b) else [])]), out)
    if method == "reduceat":
        return into(_reduceat(ufunc, inputs, options), out)
    return _at(ufunc, inputs)


def into(found: Any, out: Any) -> Any:
    """Store a result in the array that the program gave as ``out``, and return this array.

    Args:
        found: the result.
        out: a traced array or a tuple with one; or None, with which the result itself is returned.
    """
    if isinstance(out, tuple):
        out = out[0]
    if out is None:
        return found
    if not is_traced(out):
        raise EstimateError(f"{current().here()}the array given as out= is not traced; make it with numpy.empty")
    out[...] = found
    return out


def _sources(inputs: tuple[Any, ...]) -> list[Array]:
    return [values_of(each) for each in inputs if is_traced(each)]


def _call(ufunc: Any, inputs: tuple[Any, ...], options: dict[str, Any], out: Any) -> Any:
    where = options.get("where")
    sources = _sources(inputs)
    if out is not None and any(each is not None for each in out):
        targets = [each for each in out if each is not None]
        if not all(type(each) is TracedArray for each in targets):
            raise EstimateError(f"{current().here()}the array given as out= is not traced; make it with numpy.empty")
        sources = [each.copy() for each in sources]
        if where is not None and where is not True:  # elements that are not computed keep their values
            sources += [np.array(each.val) for each in targets]
        ufunc(*plain(inputs), out=tuple(plain(each) for each in out), **plain(options))
        for each in targets:
            stored_into(each, sources)
        return targets[0] if ufunc.nout == 1 else out
    data = ufunc(*plain(inputs), **plain(options))
    if is_traced(where):
        sources.append(values_of(where))
    if isinstance(data, tuple):
        return tuple(axes.map_result(each, sources) for each in data)
    return axes.map_result(data, sources)


def _reduce(ufunc: Any, inputs: tuple[Any, ...], options: dict[str, Any], out: Any) -> Any:
    axis = options.get("axis", inputs[1] if len(inputs) > 1 else 0)
    data = ufunc.reduce(*plain(inputs), **plain(options))
    return into(axes.reduced(data, values_of(inputs[0]), axis), out)


def _reduceat(ufunc: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    axis = options.get("axis", inputs[2] if len(inputs) > 2 else 0)
    starts = np.asarray(indices(inputs[1]))
    data = ufunc.reduceat(*plain(inputs), **plain(options))
    values = np.moveaxis(values_of(inputs[0]), axis, 0)
    found = result(data, SUM, work=0)
    sums = np.moveaxis(np.asarray(found.val), axis, 0)
    ends = np.append(starts[1:], len(values))
    ends = np.where(ends > starts, ends, starts + 1)  # an end before the start stands for one element
    number = np.repeat(np.arange(len(starts)), ends - starts)
    begins = np.cumsum(ends - starts) - (ends - starts)
    element = np.arange(len(number)) - begins[number] + starts[number]
    current().flow(values[element], sums[number])
    return found


def _at(ufunc: Any, inputs: tuple[Any, ...]) -> None:
    target, index = inputs[0], indices(inputs[1])
    if type(target) is not TracedArray:
        raise EstimateError(f"{current().here()}the array given to at() is not traced; make it with numpy.empty")
    ufunc.at(target.data, index, *plain(inputs[2:]))
    where = np.arange(target.size).reshape(target.shape)[index]
    touched = np.unique(where)
    recorder = current()
    places = target.loc.reshape(-1)[touched]
    recorder.touch(places, target.first)
    values = recorder.fresh(places, SUM, words=words_of(target.dtype))
    old = target.val.reshape(-1)[touched]
    recorder.flow(old, values)
    table = np.zeros(target.size, np.int32)
    table[touched] = values
    for each in inputs[2:]:
        if is_traced(each):
            recorder.flow(values_of(each), table[where])
    target.val[np.unravel_index(touched, target.shape)] = values
