"""Dispatch of NumPy's functions, and of attributes of arrays, to rules that record what their results depend on.

A function has a rule of its own, or its row in `pysmpi.simulation.compute.numpy_functions.function_table` tells the
kind of its dependence. *Moves*, such as a transposition, are applied to the numbers of the values in the same way as to
the data. *Elementwise* functions broadcast their arguments. Functions *along an axis* sum it, scan it, or need all of
it. A function without a rule raises an error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates import axes
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.probing import probed
from pysmpi.estimates.products import product
from pysmpi.estimates.record import TEMPORARY, Array
from pysmpi.estimates.rules import ADDED, RULES, depends_on_all
from pysmpi.estimates.traced import (
    Traced,
    TracedArray,
    TracedScalar,
    current,
    indices,
    is_traced,
    leaves,
    moved,
    plain,
    values_of,
)  # fmt: skip
from pysmpi.estimates.traced_ufuncs import apply_ufunc, into
from pysmpi.simulation.compute.numpy_functions.function_table import FUNCTIONS, Dependence

__all__ = ["apply_function", "attribute_of"]


def apply_function(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function of NumPy with traced arrays, and record which values its result depends on.

    Args:
        function: the function.
        inputs: positional arguments.
        options: keyword arguments.

    Raises:
        EstimateError: no rule says how the result of this function depends on its arguments.
    """
    with current().one_event():
        return _applied(function, inputs, dict(options))


def _applied(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if function in ADDED:
        return ADDED[function](*inputs, **options)
    dependence = FUNCTIONS[function].dependence if function in FUNCTIONS else Dependence.OWN
    if dependence is Dependence.VIEW:
        return _view(function, inputs, options)
    out = options.pop("out", None)
    if function in RULES:
        return into(RULES[function](*inputs, **options), out)
    if dependence is not Dependence.OWN:
        return into(_RULES_BY_DEPENDENCE[dependence](function, inputs, options), out)
    name = f"{function.__module__}.{function.__name__}"
    if name in current().probe:
        return into(probed(name, function, inputs, options), out)
    raise EstimateError(
        f"{current().here()}{name} has no rule that says which arguments its results depend on; use another function, "
        f"add a rule with pysmpi.estimate_rule, or let --probe {name} find the dependences"
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
    """Return the numbers of the values in an argument, each plus one, so that 0 can mark elements without a value.

    A list of arrays becomes a list of such arrays of numbers.
    """
    if isinstance(x, list | tuple):
        return [_shifted(each) for each in x]
    return values_of(x) + 1


def _move(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function that only moves elements, such as numpy.roll, with the data and with the numbers of the values.

    Elements that it fills in, such as padding, count as inputs of the program.
    """
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
    described = FUNCTIONS[function]
    given = inputs[described.axis_at] if len(inputs) > described.axis_at else described.axis
    axis = options.get("axis", options.get("axes", given))
    values = values_of(inputs[0])
    data = function(*plain(inputs), **plain(options))
    if function.__module__ == "numpy.fft" and np.ndim(data) > 1 and (axis is None or isinstance(axis, tuple)):
        along = axes.axes_of(axis, values.ndim)
        # Inverse transforms pass through the axes in the opposite order, as parallel libraries do: after a forward
        # transform, each node has whole lines along the axis that comes first.
        is_inverse = function.__name__.startswith("i")
        return _transformed(data, values, along if is_inverse else along[::-1])
    if axis is None:
        return axes.meet_along(data, [values], None, None)
    length = int(np.prod([values.shape[each] for each in axes.axes_of(axis, values.ndim)], dtype=np.int64))
    data_axis = axis if np.ndim(data) == values.ndim else ()
    return axes.meet_along(data, [values], axis, data_axis, work=5 * np.log2(max(length, 2)))


def _transformed(data: Array, values: Array, along: tuple[int, ...]) -> Any:
    """Record a Fourier transform as one-dimensional transforms along several axes, one after the other.

    Args:
        data: the transform that NumPy has computed.
        values: numbers of the values that are transformed.
        along: the axes in the order of the transforms.

    Returns:
        The transform as a traced array.
    """
    shape = list(values.shape)
    found: Any = None
    for axis in along:
        shape[axis] = data.shape[axis]
        passed = data if axis == along[-1] else np.empty(shape, complex)
        found = axes.meet_along(passed, [values], axis, axis, work=5 * np.log2(max(shape[axis], 2)))
        values = found.val
    return found


def _elementwise(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    data = function(*plain(inputs), **plain(options))
    return axes.map_result(data, _sources([*inputs, *options.values()]))


def _products(function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return into(*product(function, FUNCTIONS[function].contraction, inputs, options))


_RULES_BY_DEPENDENCE: dict[Dependence, Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]] = {
    Dependence.MOVE: _move,
    Dependence.ELEMENTWISE: _elementwise,
    Dependence.SUM: _sum,
    Dependence.SCAN: _scan,
    Dependence.LINES: _along,
    Dependence.WHOLE: lambda function, inputs, options: depends_on_all(function, *inputs, **options),
    Dependence.PRODUCTS: _products,
    Dependence.NOTHING: lambda function, inputs, options: function(*plain(inputs), **plain(options)),
}


# ---- attributes and methods of arrays

_METHODS = {
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "choose", "clip", "cumprod", "cumsum", "diagonal",
    "dot", "max", "mean", "min", "nonzero", "prod", "ptp", "put", "repeat", "round", "searchsorted", "squeeze", "std",
    "sum", "swapaxes", "take", "trace", "var",
}  # fmt: skip
_WITHOUT_VALUE = {"flags", "strides", "device", "fromhex", "__array_namespace__", "__class_getitem__", "__getformat__"}
_LEAVING = {"tofile", "tobytes", "dump", "dumps", "data", "ctypes"}


def attribute_of(array: Any, name: str) -> Any:
    """Return an attribute of NumPy's arrays for a traced array or scalar.

    Raises:
        AttributeError: arrays have no such attribute.
        EstimateError: the attribute hands out the array's memory, or has no rule.
    """
    if name in _METHODS:
        function = getattr(np, name)
        return lambda *inputs, **options: apply_function(function, (array, *inputs), options)
    found = _SPECIAL.get(name)
    if found is not None:
        return found(array)
    if name in {"__array_interface__", "__array_struct__", "__buffer__", "__dlpack__"}:
        raise AttributeError(name)
    if type(array) is TracedScalar and hasattr(array.data, name):
        # A method without a rule, such as float.hex, hands out the value, which may then decide what the program does.
        # The attributes in _WITHOUT_VALUE do not.
        return getattr(array.data if name in _WITHOUT_VALUE else array._steers(), name)
    if not hasattr(np.ndarray, name):
        raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
    if name in _LEAVING:
        raise leaves(f"ndarray.{name}")
    raise EstimateError(
        f"{current().here()}ndarray.{name} has no rule that says what its results depend on; use another function, "
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


def add_methods() -> None:
    """Add `__array_ufunc__` and `__array_function__`, which NumPy calls, and `__getattr__` to the class `Traced`."""
    methods: dict[str, Callable[..., Any]] = {
        "__array_ufunc__": lambda self, ufunc, method, *inputs, **options: apply_ufunc(ufunc, method, inputs, options),
        "__array_function__": lambda self, function, types, inputs, options: apply_function(function, inputs, options),
        "__getattr__": attribute_of,
    }
    for name, method in methods.items():
        setattr(Traced, name, method)


add_methods()
