"""Rules (see `pysmpi.estimates.rules`) of NumPy's functions such as differences, factorisations and histograms.

Their results depend on their arguments in ways that the table of functions cannot describe.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates import axes
from pysmpi.estimates.record import SUM, Array
from pysmpi.estimates.rules import RULES, depends_on_all, rule
from pysmpi.estimates.traced import TracedArray, current, indices, is_traced, moved, named, plain, result, values_of
from pysmpi.simulation.compute.numpy_functions.function_table import named_functions

__all__ = ["meshgrid"]


_TRAPEZOID: Any = getattr(np, "trapezoid", None) or np.trapz  # type: ignore[attr-defined]  # the name before NumPy 2


@rule("where")
def _where(condition: Any, *choices: Any) -> Any:
    if not choices:
        return depends_on_all(np.where, condition)
    sources = [values_of(each) for each in (condition, *choices) if is_traced(each)]
    return axes.map_result(np.where(plain(condition), *plain(choices)), sources)


def _deviation(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(a: Any, axis: Any = None, *inputs: Any, **options: Any) -> Any:
        data = function(plain(a), axis, *inputs, **plain(options))
        values = values_of(a)
        mean = axes.reduced(np.mean(plain(a), axis, keepdims=True), values, axis)
        squares = axes.map_result(plain(a) - mean.data, [values, np.asarray(mean.val)], work=2)
        return axes.reduced(data, np.asarray(squares.val), axis)

    return rule


@rule("average")
def _average(a: Any, axis: Any = None, weights: Any = None, **options: Any) -> Any:
    products = a if weights is None else a * weights
    return axes.reduced(np.average(plain(a), axis, plain(weights), **options), values_of(products), axis)


@rule("linalg.norm")
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    data = np.linalg.norm(plain(x), ord, axis, keepdims)
    if ord in (2, -2, "nuc") and axis is None and np.ndim(plain(x)) == 2:
        return depends_on_all(np.linalg.norm, x, ord=ord)
    return axes.reduced(data, values_of(x), axis)


@rule("trace")
def _trace(a: Any, *inputs: Any, **options: Any) -> Any:
    data = np.trace(plain(a), *inputs, **options)
    return axes.reduced(data, np.diagonal(values_of(a), *inputs[:1]), -1)


@rule("diff")
def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    found = a
    for _ in range(n):
        values = np.moveaxis(values_of(found), axis, -1)
        sources = [np.moveaxis(each, -1, axis) for each in (values[..., 1:], values[..., :-1])]
        found = axes.map_result(np.diff(plain(found), axis=axis), sources)
    return found


@rule("gradient")
def _gradient(a: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    function: Any = np.gradient
    data = function(plain(a), *plain(spacing), axis=axis, edge_order=edge_order)
    values = values_of(a)
    found = []
    along = axes.axes_of(axis, values.ndim)
    for each, number in zip([data] if isinstance(data, np.ndarray) else data, along, strict=True):
        length = values.shape[number]
        index = np.arange(length)
        near = [np.clip(index + shift, 0, length - 1) for shift in (-1, 1)]
        if edge_order == 2 or any(np.ndim(plain(step)) for step in spacing):
            near.append(np.where(index == 0, 2, np.where(index == length - 1, length - 3, index)))
        found.append(axes.map_result(each, [np.take(values, places, axis=number) for places in near], work=2))
    return found[0] if isinstance(data, np.ndarray) else type(data)(found)


@rule("lib.stride_tricks.sliding_window_view")
def _windows(x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False) -> Any:
    function = np.lib.stride_tricks.sliding_window_view
    return x.view_by(lambda each: function(each, plain(window_shape), plain(axis), subok=subok, writeable=writeable))


@rule("convolve")
def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    return _sliding(np.convolve, a, v, mode, reverse=False)


@rule("correlate")
def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    return _sliding(np.correlate, a, v, mode, reverse=True)


def _sliding(function: Any, a: Any, v: Any, mode: str, *, reverse: bool) -> Any:
    data = function(plain(a), plain(v), mode)
    first, second = np.ravel(values_of(a)), np.ravel(values_of(v))
    if reverse:
        second = second[::-1]
    full = len(first) + len(second) - 1
    skipped = (full - len(data)) // 2
    found = result(data, work=2.0 * min(len(first), len(second)))
    for place, value in enumerate(second):
        low = max(place - skipped, 0)
        high = min(place - skipped + len(first), len(data))
        if low < high:
            current().flow(first[low + skipped - place : high + skipped - place], found.val[low:high])
            current().flow(value, found.val[low:high])
    return found


@rule("bincount")
def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    data = np.bincount(plain(x), plain(weights), minlength)
    found = result(data, SUM, work=0)
    source = weights if is_traced(weights) else x
    current().flow(values_of(source), np.asarray(found.val)[indices(x)])
    return found


@rule("histogram")
def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    data, edges = np.histogram(plain(a), plain(bins), range, density, plain(weights))
    found = result(data, SUM, work=0)
    flat = np.ravel(plain(a))
    inside = (flat >= edges[0]) & (flat <= edges[-1])
    number = np.clip(np.searchsorted(edges, flat[inside], "right") - 1, 0, len(data) - 1)
    source = weights if is_traced(weights) else a
    current().flow(np.ravel(values_of(source))[inside], np.asarray(found.val)[number])
    if range is not None or np.ndim(plain(bins)):
        return found, edges
    ends = axes.reduced(edges[[0, -1]].copy(), np.broadcast_to(np.ravel(values_of(a)), (2, flat.size)), 1)
    return found, axes.map_result(edges, [ends.val[:1], ends.val[1:]])


@rule("interp")
def _interp(x: Any, xp: Any, fp: Any, **options: Any) -> Any:
    data = np.interp(plain(x), plain(xp), plain(fp), **options)
    found = result(data)
    recorder = current()
    if is_traced(x):
        recorder.flow(values_of(x), found.val)
    right = np.clip(np.searchsorted(plain(xp), plain(x)), 1, max(len(plain(xp)) - 1, 1))
    for each in (xp, fp):
        if is_traced(each):
            for near in (right - 1, np.minimum(right, len(plain(xp)) - 1)):
                recorder.flow(values_of(each)[near], found.val)
    return found


@rule("searchsorted")
def _searchsorted(a: Any, v: Any, *inputs: Any, **options: Any) -> Any:
    data = np.searchsorted(plain(a), plain(v), *inputs, **options)
    if not isinstance(data, np.ndarray):
        return depends_on_all(np.searchsorted, a, v, *inputs, **options)
    found = result(data)
    if is_traced(v):
        current().flow(values_of(v), found.val)
    if is_traced(a):
        current().meet(values_of(a).reshape(1, -1), found.val.reshape(1, -1))
    return found


@rule("linalg.solve")
def _solve(a: Any, b: Any) -> Any:
    data = np.linalg.solve(plain(a), plain(b))
    size = np.shape(plain(a))[-1]
    matrix = values_of(a) if is_traced(a) else None
    right = values_of(b) if is_traced(b) else None
    found = result(data, work=float(size) * size)
    sinks = np.asarray(found.val)
    if data.ndim <= 2:
        if matrix is not None:
            current().meet(matrix.reshape(1, -1), sinks.reshape(1, -1))
        if right is not None:
            columns = right.reshape(size, -1).T
            current().meet(columns, sinks.reshape(size, -1).T)
        return found
    rows = int(np.prod(data.shape[:-2], dtype=np.int64))
    for each in (matrix, right):
        if each is not None:
            current().meet(np.broadcast_to(each.reshape(-1, size * each.shape[-1]), (rows, size * each.shape[-1])),
                           sinks.reshape(rows, -1))  # fmt: skip
    return found


@rule("linalg.cholesky")
def _cholesky(a: Any, **options: Any) -> Any:
    return axes.triangular(np.linalg.cholesky(plain(a), **options), values_of(a))


def _like(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(a: Any, *inputs: Any, **options: Any) -> Any:
        return named(np.array(function(plain(a), *plain(inputs), **plain(options)), order="K"))

    return rule


@rule("copyto")
def _copyto(target: TracedArray, source: Any, casting: str = "same_kind", where: Any = True) -> None:
    target[... if where is True else where] = source if where is True else np.broadcast_to(source, target.shape)[where]


@rule("meshgrid")
def meshgrid(*inputs: Any, **options: Any) -> Any:
    """Return the arrays of `numpy.meshgrid` as traced arrays; the arguments may be traced or plain arrays."""
    data = np.meshgrid(*plain(inputs), **options)
    values = np.meshgrid(*[values_of(each) for each in inputs], **options)
    return type(data)(moved(np.array(a), b) for a, b in zip(data, values, strict=True))


@rule("allclose")
def _allclose(a: Any, b: Any, *inputs: Any, **options: Any) -> bool:
    return bool(np.all(np.isclose(a, b, *inputs, **options)))


@rule("array_equal")
def _array_equal(a: Any, b: Any, **_: Any) -> bool:
    return np.shape(plain(a)) == np.shape(plain(b)) and bool(np.all(np.equal(a, b)))


@rule("cross", "linalg.cross")
def _cross(a: Any, b: Any, **options: Any) -> Any:
    data = np.cross(plain(a), plain(b), **options)
    sources = [values_of(each) for each in (a, b) if is_traced(each)]
    if options or data.ndim != sources[0].ndim:
        return depends_on_all(np.cross, a, b, **options)
    found = result(data, work=3)
    for each in sources:
        current().flow(np.roll(each, -1, -1), found.val)
        current().flow(np.roll(each, 1, -1), found.val)
    return found


@rule("kron")
def _kronecker(a: Any, b: Any) -> Any:
    x, y = (each if np.ndim(plain(each)) >= 1 else np.atleast_1d(each) for each in (a, b))
    if np.ndim(plain(x)) != np.ndim(plain(y)):
        return depends_on_all(np.kron, a, b)
    outer = np.multiply.outer(x, y)
    count = np.ndim(plain(x))
    order = [each for pair in zip(range(count), range(count, 2 * count), strict=True) for each in pair]
    shape = np.multiply(np.shape(plain(x)), np.shape(plain(y)))
    return outer.transpose(order).reshape(tuple(shape))


@rule("trapezoid", "trapz")
def _trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    data = _TRAPEZOID(plain(y), plain(x), dx, axis)
    values: Array = values_of(y if x is None or not is_traced(x) else y + 0 * x)
    return axes.reduced(data, values, axis)


@rule("piecewise")
def _piecewise(x: Any, conditions: Any, functions: Any, *inputs: Any, **options: Any) -> Any:
    data = np.zeros(np.shape(plain(x)), plain(x).dtype)
    found = named(data)
    conditions = [np.asarray(plain(each), bool) for each in conditions]
    if len(functions) == len(conditions) + 1:
        conditions.append(~np.any(conditions, axis=0))
    for condition, function in zip(conditions, functions, strict=True):
        found[condition] = function(x[condition], *inputs, **options) if callable(function) else function
    return found


def _cumulative(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(x: Any, /, *, axis: Any = None, **options: Any) -> Any:
        if options.get("include_initial"):
            return depends_on_all(function, x, axis=axis, **options)
        data = function(plain(x), axis=axis, **options)
        return axes.scanned(data, values_of(x), 0 if axis is None else axis)

    return rule


@rule("linalg.multi_dot")
def _multi_dot(arrays: Any, **_: Any) -> Any:
    found = arrays[0]
    for each in arrays[1:]:
        found = np.dot(found, each)
    data = np.linalg.multi_dot(plain(list(arrays)))
    return moved(data, np.asarray(found.val))


@rule("histogram2d")
def _histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    data, *edges = np.histogram2d(plain(x), plain(y), plain(bins), range, density, plain(weights))
    found = result(data, SUM, work=0)
    places, inside = [], np.ones(len(plain(x)), bool)
    for each, ends in zip((plain(x), plain(y)), edges, strict=True):
        inside &= (each >= ends[0]) & (each <= ends[-1])
        places.append(np.clip(np.searchsorted(ends, each, "right") - 1, 0, len(ends) - 2))
    for each in (weights,) if is_traced(weights) else (x, y):
        current().flow(values_of(each)[inside], found.val[places[0][inside], places[1][inside]])
    return (found, *edges)


@rule("put_along_axis")
def _put_along_axis(array: Any, index: Any, values: Any, axis: Any) -> None:
    places = np.take_along_axis(np.arange(array.size).reshape(array.shape), indices(index), axis)
    array[np.unravel_index(places, array.shape)] = values


@rule("unwrap")
def _angles(p: Any, discont: Any = None, axis: int = -1, **options: Any) -> Any:
    return axes.scanned(np.unwrap(plain(p), discont, axis, **options), values_of(p), axis)


@rule("linalg.vector_norm")
def _vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    return axes.reduced(np.linalg.vector_norm(plain(x), axis=axis, keepdims=keepdims, ord=ord), values_of(x), axis)


for _function in named_functions(["std", "var", "nanstd", "nanvar"]):
    RULES[_function] = _deviation(_function)
for _function in named_functions(["zeros_like", "ones_like", "empty_like", "full_like"]):
    RULES[_function] = _like(_function)
for _function in named_functions(["cumulative_sum", "cumulative_prod"]):
    RULES[_function] = _cumulative(_function)
rule("matrix_transpose", "linalg.matrix_transpose")(lambda x: np.swapaxes(x, -1, -2))
rule("unstack")(lambda x, /, *, axis=0: tuple(np.moveaxis(x, axis, 0)))
rule("astype")(lambda x, dtype, /, **options: x.astype(dtype, **options))
rule("linalg.matrix_norm")(lambda x, /, *, keepdims=False, ord="fro": _norm(x, ord, (-2, -1), keepdims))
rule("linalg.trace")(lambda x, /, *, offset=0: np.trace(x, offset, -2, -1))
rule("linalg.diagonal")(lambda x, /, *, offset=0: np.diagonal(x, offset, -2, -1))
rule("broadcast_arrays")(
    lambda *inputs, **_: tuple(
        np.broadcast_to(each, np.broadcast_shapes(*(np.shape(plain(one)) for one in inputs))) for each in inputs
    )
)
rule("array_equiv")(lambda a, b: bool(np.all(np.equal(a, b))))
rule("histogram_bin_edges")(lambda *inputs, **options: _histogram(*inputs, **options)[1])
rule("digitize")(lambda x, bins, right=False: _searchsorted(bins, x, "left" if right else "right"))
