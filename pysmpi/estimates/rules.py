"""Rules of NumPy's functions: which elements of a result depend on which elements of the arguments.

Each function is in one table. *Moves*, such as a transposition, are applied to the numbers of the values in the same
way as to the data. *Elementwise* functions broadcast their arguments. Functions *along an axis* sum it, scan it, or
need all of it. A function without a rule raises an error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates import axes
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.function_rules import FUNCTIONS
from pysmpi.estimates.probing import probed
from pysmpi.estimates.recorder import TEMPORARY, Array
from pysmpi.estimates.traced import (
    TracedArray,
    TracedScalar,
    current,
    indices,
    is_traced,
    leaves,
    moved,
    plain,
    values_of,
)
from pysmpi.estimates.ufuncs import into

__all__ = ["apply_function", "estimate_rule", "method_of"]

_ADDED: dict[Any, Callable[..., Any]] = {}


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
        _ADDED[function] = rule
        return rule

    return add


def apply_function(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the result of a function of NumPy, and record its flow by the function's rule."""
    with current().one_event():
        return _applied(function, inputs, dict(options))


def _applied(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if function in _ADDED:
        return _ADDED[function](*inputs, **options)
    if function in _VIEWS:
        return _view(function, inputs, options)
    out = options.pop("out", None)
    if function in _MOVES:
        return into(_move(function, inputs, options), out)
    if function in _ELEMENTWISE:
        return into(
            axes.map_result(function(*plain(inputs), **plain(options)), _sources([*inputs, *options.values()])), out
        )
    if function in _SUMS:
        return into(_sum(function, inputs, options), out)
    if function in _SCANS:
        return into(_scan(function, inputs, options), out)
    if function in _WHOLE_LINES:
        return into(_along(function, inputs, options), out)
    if function in FUNCTIONS:
        return into(FUNCTIONS[function](*inputs, **options), out)
    name = f"{function.__module__}.{function.__name__}"
    if name in current().probe:
        return into(probed(name, function, inputs, options), out)
    raise EstimateError(
        f"{current().here()}{name} has no rule; use functions that have one, add a rule with pysmpi.estimate_rule, "
        f"or let --probe {name} find the dependences of its results"
    )


def _sources(inputs: Any) -> list[Array]:
    found = []
    for each in inputs:
        if is_traced(each):
            found.append(values_of(each))
        elif isinstance(each, list | tuple):
            found += _sources(each)
    return found


def _view(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    array, *rest = inputs
    rest, options = indices(rest), plain(options)
    if type(array) is not TracedArray:
        return _move(function, inputs, options)
    data = function(array.data, *rest, **options)
    if isinstance(data, list | tuple):
        return type(data)(
            array.view_by(lambda x, i=i: function(x, *rest, **options)[i])  # type: ignore[misc]
            for i in range(len(data))
        )
    return array.view_by(lambda x: function(x, *rest, **options))


def _shifted(x: Any) -> Any:
    """Return the numbers of an argument's values plus one, in nested lists as the argument has them."""
    if isinstance(x, list | tuple):
        return [_shifted(each) for each in x]
    return values_of(x) + 1


def _move(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Apply a function that only moves elements to data and values; other elements of its result are new inputs."""
    data = function(*plain(inputs), **plain(options))
    first = inputs[0]
    shifted = _shifted(first)
    # Elements that the function fills in are 0 here, since values are shifted by one.
    wanted = {key: plain(each) for key, each in options.items() if key not in {"constant_values", "dtype", "casting"}}
    values = np.asarray(function(shifted, *indices(inputs[1:]), **wanted)) - 1
    blank = values < 0
    if blank.any():
        values = np.array(values)
        values[blank] = current().fresh(np.full(int(blank.sum()), -1), TEMPORARY)
    return moved(data, values)


def _axis(inputs: tuple[Any, ...], options: dict[str, Any], default: Any = None) -> Any:
    found = options.get("axis", inputs[1] if len(inputs) > 1 else default)
    return default if found is np._NoValue else plain(found)


def _sum(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    data = function(*plain(inputs), **plain(options))
    return axes.reduced(data, values_of(inputs[0]), _axis(inputs, options))


def _scan(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    data = function(*plain(inputs), **plain(options))
    axis = _axis(inputs, options)
    values = values_of(inputs[0])
    return axes.scanned(data, values.reshape(-1) if axis is None else values, 0 if axis is None else axis)


def _along(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    default, position = _WHOLE_LINES[function]
    axis = options.get("axis", options.get("axes", inputs[position] if len(inputs) > position else default))
    values = values_of(inputs[0])
    data = function(*plain(inputs), **plain(options))
    if function.__module__ == "numpy.fft" and np.ndim(data) > 1 and (axis is None or isinstance(axis, tuple)):
        along = axes.axes_of(axis, values.ndim)
        return _transformed(data, values, along if function in _INVERSE else along[::-1])
    if axis is None:
        return axes.meet_along(data, [values], None, None)
    length = int(np.prod([values.shape[each] for each in axes.axes_of(axis, values.ndim)], dtype=np.int64))
    data_axis = axis if np.ndim(data) == values.ndim else ()
    return axes.meet_along(data, [values], axis, data_axis, work=5 * np.log2(max(length, 2)))


def _transformed(data: Array, values: Array, along: tuple[int, ...]) -> Any:
    """Return a traced Fourier transform along several axes, one after the other."""
    shape = list(values.shape)
    found: Any = None
    for axis in along:
        shape[axis] = data.shape[axis]
        passed = data if axis == along[-1] else np.empty(shape, complex)
        found = axes.meet_along(passed, [values], axis, axis, work=5 * np.log2(max(shape[axis], 2)))
        values = found.val
    return found


# Inverse transforms pass through the axes in the opposite order, as parallel libraries do: after a forward transform,
# the lines that come first are at hand.
_INVERSE = {np.fft.ifft2, np.fft.ifftn, np.fft.irfft2, np.fft.irfftn}
_VIEWS = {
    np.transpose, np.reshape, np.ravel, np.squeeze, np.expand_dims, np.swapaxes, np.moveaxis, np.rollaxis,
    np.broadcast_to, np.diagonal, np.flip, np.fliplr, np.flipud, np.rot90, np.atleast_1d, np.atleast_2d,
    np.atleast_3d, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.real,
}  # fmt: skip
_MOVES = {
    np.roll, np.concatenate, np.vstack, np.hstack, np.stack, np.dstack, np.column_stack, np.repeat, np.tile, np.take,
    np.copy, np.triu, np.tril, np.diag, np.diagflat, np.take_along_axis, np.delete, np.resize,
    np.block, np.pad, np.fft.fftshift, np.fft.ifftshift,
}  # fmt: skip
_ELEMENTWISE = {
    np.round, np.around, np.nan_to_num, np.angle, np.sinc, np.isclose, np.i0, np.fix, np.select, np.imag, np.clip,
    np.real_if_close, np.iscomplex, np.isreal, np.isposinf, np.isneginf,
}  # fmt: skip
_SUMS = {
    np.sum, np.prod, np.max, np.min, np.amax, np.amin, np.mean, np.any, np.all, np.argmax, np.argmin, np.nansum,
    np.nanprod, np.nanmax, np.nanmin, np.nanmean, np.count_nonzero, np.ptp,
    np.nanargmax, np.nanargmin,
}  # fmt: skip
_SCANS = {np.cumsum, np.cumprod, np.nancumsum, np.nancumprod}
# Functions whose result needs whole lines of their first argument: the default axis, and the position of the argument.
_WHOLE_LINES: dict[Any, tuple[Any, int]] = {
    np.fft.fft: (-1, 2), np.fft.ifft: (-1, 2), np.fft.rfft: (-1, 2), np.fft.irfft: (-1, 2), np.fft.hfft: (-1, 2),
    np.fft.ihfft: (-1, 2), np.fft.fft2: ((-2, -1), 2), np.fft.ifft2: ((-2, -1), 2), np.fft.rfft2: ((-2, -1), 2),
    np.fft.irfft2: ((-2, -1), 2), np.fft.fftn: (None, 2), np.fft.ifftn: (None, 2), np.fft.rfftn: (None, 2),
    np.fft.irfftn: (None, 2), np.sort: (-1, 1), np.argsort: (-1, 1), np.partition: (-1, 2), np.argpartition: (-1, 2),
    np.median: (None, 1), np.nanmedian: (None, 1),
    np.linalg.inv: ((-2, -1), 9), np.linalg.pinv: ((-2, -1), 9), np.linalg.matrix_power: ((-2, -1), 9),
}  # fmt: skip


# ---- attributes and methods of arrays

_METHODS: dict[str, Any] = {
    name: getattr(np, name)
    for name in [
        "sum",
        "prod",
        "max",
        "min",
        "mean",
        "any",
        "all",
        "argmax",
        "argmin",
        "ptp",
        "std",
        "var",
        "cumsum",
        "cumprod",
        "clip",
        "round",
        "dot",
        "squeeze",
        "swapaxes",
        "repeat",
        "take",
        "diagonal",
        "trace",
        "nonzero",
        "searchsorted",
        "argsort",
        "argpartition",
        "choose",
        "put",
    ]
}
_WITHOUT_VALUE = {"flags", "strides", "device", "fromhex", "__array_namespace__", "__class_getitem__", "__getformat__"}
_LEAVING = {"tofile", "tobytes", "dump", "dumps", "data", "ctypes"}


def method_of(array: Any, name: str) -> Any:
    """Return an attribute of NumPy's arrays for a traced array or scalar.

    Raises:
        AttributeError: arrays have no such attribute.
        EstimateError: the attribute hands out the array's memory, or has no rule.
    """
    if name in _METHODS:
        function = _METHODS[name]
        return lambda *inputs, **options: apply_function(function, (array, *inputs), options)
    found = _SPECIAL.get(name)
    if found is not None:
        return found(array)
    if name in {"__array_interface__", "__array_struct__", "__buffer__", "__dlpack__"}:
        raise AttributeError(name)
    if type(array) is TracedScalar and hasattr(array.data, name):
        # A method of a number that no rule knows, such as hex(), hands out its value; other attributes do not.
        return getattr(array.data if name in _WITHOUT_VALUE else array._steers(), name)
    if not hasattr(np.ndarray, name):
        raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
    if name in _LEAVING:
        raise leaves(f"ndarray.{name}")
    raise EstimateError(
        f"{current().here()}ndarray.{name} has no rule; use functions that have one, "
        "or leave this part out of the program that is estimated"
    )


def _reshaping(array: Any) -> Callable[..., Any]:
    return lambda *shape, **options: array.view_by(lambda x: x.reshape(*plain(shape), **options))


def _copy(array: Any) -> Callable[..., Any]:
    def copy(order: Any = "C") -> Any:
        current().enter()
        return moved(array.data.copy(order) if isinstance(array.data, np.ndarray) else array.data, array.val)

    return copy


def _flatten(array: Any) -> Callable[..., Any]:
    return lambda order="C": array.view_by(lambda x: x.flatten(order))


def _view_as(array: Any) -> Callable[..., Any]:
    def view(dtype: Any = None) -> Any:
        if dtype is None:
            return array.view_by(lambda x: x.view())
        if isinstance(dtype, type) and issubclass(dtype, np.ndarray):
            raise EstimateError(f"{current().here()}ndarray.view of a subclass of arrays has no rule; use ndarrays")
        if np.dtype(dtype).itemsize != array.itemsize:
            raise EstimateError(
                f"{current().here()}ndarray.view with elements of another size has no rule; use astype, real or imag"
            )
        return array.view_by(lambda x: x.view(dtype) if x is array.data else x.view())

    return view


def _imaginary(array: Any) -> Any:
    if type(array) is TracedArray and array.dtype.kind == "c":
        return array.view_by(lambda x: x.imag if x is array.data else x)
    return apply_function(np.imag, (array,), {})


def _astype(array: Any) -> Callable[..., Any]:
    def astype(dtype: Any, *inputs: Any, **options: Any) -> Any:
        current().enter()
        data = array.data.astype(dtype, *inputs, **options)
        return array if data is array.data else moved(data, array.val)

    return astype


def _conjugate(array: Any) -> Callable[..., Any]:
    return lambda: np.conjugate(array) if array.dtype.kind == "c" else array


def _fill(array: Any) -> Callable[..., None]:
    return lambda x: array.__setitem__(Ellipsis, x)


def _sort(array: Any) -> Callable[..., None]:
    def sort(axis: int = -1, **options: Any) -> None:
        array[...] = apply_function(np.sort, (array,), {"axis": axis, **options})

    return sort


def _partition(array: Any) -> Callable[..., None]:
    def partition(kth: Any, axis: int = -1, **options: Any) -> None:
        array[...] = apply_function(np.partition, (array, kth), {"axis": axis, **options})

    return partition


_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "reshape": _reshaping,
    "ravel": lambda array: lambda order="C": array.view_by(lambda x: x.ravel(order)),
    "flatten": _flatten,
    "transpose": lambda array: lambda *axes: array.view_by(lambda x: x.transpose(*plain(axes))),
    "T": lambda array: array,
    "copy": _copy,
    "astype": _astype,
    "fill": _fill,
    "sort": _sort,
    "partition": _partition,
    "compress": lambda array: (
        lambda condition, axis=None, out=None: apply_function(
            np.compress, (condition, array), {"axis": axis, "out": out}
        )
    ),
    "conj": _conjugate,
    "conjugate": _conjugate,
    "real": lambda array: array.view_by(lambda x: x.real),
    "imag": _imaginary,
    "base": lambda array: array.data.base,
    "view": _view_as,
}
