"""NumPy functions, except universal ones, on folded arrays (whose contents do not matter): times and result shapes.

Functions that are composed of others run NumPy's own implementation. Products, functions of matrices and Fourier
transforms take shapes and operations from `pysmpi.simulation.compute.numpy_functions`. The others are implemented here.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from pysmpi.simulation.compute.folded.operation_time import count_elements, spend, spend_on
from pysmpi.simulation.compute.folded.results import any_scalar, contents_matter, folded, folded_order, result
from pysmpi.simulation.compute.numpy_functions.contractions import shape_of
from pysmpi.simulation.compute.numpy_functions.function_table import FUNCTIONS as DESCRIBED
from pysmpi.simulation.compute.numpy_functions.function_table import Function, named_functions
from pysmpi.simulation.compute.numpy_functions.matrices import MATRIX_FUNCTIONS, Operation, computed_type, real_type

__all__ = ["FUNCTIONS"]

FUNCTIONS: dict[Any, Callable[..., Any]] = {}

_Order = Literal["C", "F"]


def answers(*functions: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the implementation of the named NumPy functions for folded arrays.

    Names that the installed NumPy lacks are ignored.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS.update(dict.fromkeys(named_functions(functions), function))
        return function

    return register


def _arrays(*values: Any) -> list[Any]:
    return [np.asanyarray(value) for value in values]


def _moved(*arrays: Any) -> int:
    return sum(array.nbytes for array in arrays)


def _made(
    inputs: Sequence[Any],
    shape: Sequence[int],
    dtype: Any,
    out: Any = None,
    flops: float = 0.0,
    order: _Order = "C",
) -> Any:
    """Return the result of an operation, without computing it; charge the rank the time to read the inputs and write
    the result once."""
    if out is not None:
        spend_on(inputs, [out], [], flops)
        return out
    made = result(shape, np.dtype(dtype), order)
    spend_on(inputs, [], [made], flops)
    return made


# Creation and copies.


def _like(prototype: Any, dtype: Any, order: str, shape: Any, written: bool) -> Any:
    kind = prototype.dtype if dtype is None else np.dtype(dtype)
    extents = prototype.shape if shape is None else tuple(shape) if isinstance(shape, Sequence) else (int(shape),)
    if written:
        spend(math.prod(extents) * kind.itemsize)
    return folded(extents, kind, "F" if order == "F" else "C" if order == "C" else folded_order([prototype]))


@answers("empty_like")
def _empty_like(
    prototype: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any
) -> Any:
    return _like(prototype, dtype, order, shape, False)


@answers("zeros_like", "ones_like")
def _filled_like(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any) -> Any:
    return _like(a, dtype, order, shape, True)


@answers("full_like")
def _full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any
) -> Any:
    return _like(a, dtype, order, shape, True)


@answers("copy")
def _copy(a: Any, order: Any = "K", subok: bool = False) -> Any:
    return a.copy(order)


@answers("copyto")
def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    (source,) = _arrays(src)
    if np.broadcast_shapes(dst.shape, source.shape) != dst.shape:
        raise ValueError(f"could not broadcast input array from shape {source.shape} into shape {dst.shape}")
    spend(source.nbytes + dst.nbytes)


@answers("putmask", "place")
def _putmask(a: Any, mask: Any, values: Any) -> None:
    spend(_moved(*_arrays(mask, values)) + a.nbytes)


@answers("fill_diagonal")
def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    spend(min(a.shape) * a.itemsize)


@answers("broadcast_to")
def _broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    return np.broadcast_to._implementation(array, shape, subok=True)  # type: ignore[attr-defined]


@answers("broadcast_arrays")
def _broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    return np.broadcast_arrays._implementation(*args, subok=True)  # type: ignore[attr-defined]


@answers("array_repr", "array_str", "array2string")
def _text(a: Any, *_: Any, **__: Any) -> str:
    return repr(a)


# Joining.


@answers("concatenate", "concat")
def _concatenate(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    parts = _arrays(*arrays)
    kind = np.result_type(*(part.dtype for part in parts)) if dtype is None else np.dtype(dtype)
    if axis is None:
        return _made(parts, (sum(part.size for part in parts),), kind, out)
    at = range(parts[0].ndim)[axis]
    rest = {(*part.shape[:at], *part.shape[at + 1 :]) for part in parts}
    if len(rest) != 1:
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    shape = [sum(part.shape[at] for part in parts) if i == at else n for i, n in enumerate(parts[0].shape)]
    return _made(parts, shape, kind, out, order=folded_order(parts))


@answers("block")
def _block(arrays: Any) -> Any:
    def put_together(parts: Any, depth: int) -> Any:
        if not isinstance(parts, list):
            (part,) = _arrays(parts)
            return part.reshape((1,) * (deepest - part.ndim) + part.shape)
        return np.concatenate([put_together(part, depth + 1) for part in parts], axis=depth - nesting)

    def levels(parts: Any) -> int:
        return 1 + levels(parts[0]) if isinstance(parts, list) else 0

    def dimensions(parts: Any) -> int:
        return max(map(dimensions, parts)) if isinstance(parts, list) else np.ndim(parts)

    nesting, deepest = levels(arrays), max(levels(arrays), dimensions(arrays))
    return put_together(arrays, 0)


@answers("tile")
def _tile(A: Any, reps: Any) -> Any:  # noqa: N803, NumPy's name
    (array,) = _arrays(A)
    times = tuple(reps) if isinstance(reps, Sequence) else (int(reps),)
    width = max(array.ndim, len(times))
    shape = (1,) * (width - array.ndim) + array.shape
    times = (1,) * (width - len(times)) + times
    return _made([array], [n * each for n, each in zip(shape, times, strict=True)], array.dtype)


@answers("pad")
def _pad(array: Any, pad_width: Any, mode: Any = "constant", **_: Any) -> Any:
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2))
    return _made([array], [n + int(sum(pair)) for n, pair in zip(array.shape, widths, strict=True)], array.dtype)


@answers("tril", "triu")
def _triangle(m: Any, k: int = 0) -> Any:
    return _made([m], m.shape, m.dtype)


@answers("diag")
def _diag(v: Any, k: int = 0) -> Any:
    if v.ndim == 2:
        return v.diagonal(k)
    side = v.shape[0] + abs(k)
    return _made([v], (side, side), v.dtype)


@answers("diagflat")
def _diagflat(v: Any, k: int = 0) -> Any:
    return _diag(v.ravel(), k)


# Selections and comparisons.


@answers("where")
def _where(condition: Any, *choices: Any) -> Any:
    if not choices:
        raise contents_matter(
            "numpy.where with a folded condition", "pass choices, or use an assumed number of elements instead"
        )
    inputs = _arrays(condition, *choices)
    kind = np.result_type(*(value if np.isscalar(value) else value.dtype for value in choices))
    return _made(inputs, np.broadcast_shapes(*(each.shape for each in inputs)), kind, order=folded_order(inputs))


@answers("take_along_axis")
def _take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    return _made([indices, indices], np.shape(indices), arr.dtype)


@answers("put_along_axis")
def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    spend(2 * indices.nbytes + _moved(*_arrays(values)))


@answers("array_equal", "array_equiv")
def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    first, second = _arrays(a1, a2)
    spend(_moved(first, second))
    return bool(first.shape == second.shape)


@answers(
    "nonzero", "flatnonzero", "argwhere", "unique", "unique_values", "unique_counts", "unique_inverse", "unique_all",
    "union1d", "intersect1d", "setdiff1d", "setxor1d", "extract", "bincount", "trim_zeros",
)  # fmt: skip
def _unknown_length(*_: Any, **__: Any) -> Any:
    raise contents_matter("the length of this NumPy function's result", "use an assumed length instead")


@answers("histogram")
def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    if isinstance(bins, str):
        raise contents_matter(f"numpy.histogram on folded arrays with bins={bins!r}", "pass the number of bins")
    inputs = _arrays(a) if weights is None else _arrays(a, weights)
    counts = np.dtype(float) if density else np.dtype(np.intp) if weights is None else inputs[1].dtype
    if np.ndim(bins) == 1:
        edges = np.asanyarray(bins)
    else:
        number = operator.index(bins)
        kind = np.result_type(inputs[0], *([] if inputs[0].dtype.kind in "fc" else [np.float64]))
        edges = (
            folded((number + 1,), kind) if range is None else np.linspace(range[0], range[1], number + 1, dtype=kind)
        )
    return _made(inputs, (len(edges) - 1,), counts), edges


@answers("count_nonzero")
def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    add: Any = np.add
    return add.reduce(a, axis=axis, dtype=np.intp, keepdims=keepdims)


def _without_nan(ufunc: np.ufunc) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **_: Any) -> Any:
        return ufunc.reduce(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims is True)

    return reduce


for _name, _ufunc in {"nansum": np.add, "nanprod": np.multiply, "nanmax": np.maximum, "nanmin": np.minimum}.items():
    answers(_name)(_without_nan(_ufunc))


@answers("nanmean")
def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **_: Any) -> Any:
    return a.mean(axis, dtype, out, keepdims is True)


# Products, functions of matrices and transforms.


def _product(function: Function) -> Callable[..., Any]:
    describe = function.contraction
    assert describe is not None

    def product(*arguments: Any, **options: Any) -> Any:
        found = describe(shape_of, *arguments, **options)
        if found is None and function.name in {"dot", "inner"}:
            return _scaled(*arguments, **options)
        if found is None:
            raise contents_matter(f"numpy.{function.name} on folded arrays with these subscripts or axes")
        arrays = _arrays(*found.operands)
        if found.is_flat:
            arrays = [array.ravel() for array in arrays]
        kind = np.result_type(*arrays)
        sizes = found.sizes([array.shape for array in arrays])
        made = _made(arrays, found.shape(sizes), kind, found.out, found.flops(sizes, kind.kind))
        always_array = function.name.endswith("tensordot") and not isinstance(made, np.ndarray)
        return folded((), made.dtype) if always_array else made

    return product


def _scaled(a: Any, b: Any, out: Any = None) -> Any:
    arrays = _arrays(a, b)
    return _made(arrays, np.broadcast_shapes(*(each.shape for each in arrays)), np.result_type(*arrays), out)


def _operation(describe: Callable[..., Operation]) -> Callable[..., Any]:
    def operate(*arguments: Any, **options: Any) -> Any:
        found = describe(*arguments, **options)
        spend(found.moved, found.flops)
        results = [result(shape, kind) for shape, kind in found.results] if found.out is None else [found.out]
        return _named(found.result_class, results) if found.result_class else results[0]

    return operate


def _named(name: str, values: Sequence[Any]) -> Any:
    """Return the values as NumPy's named tuple, or as a plain tuple if the installed NumPy lacks that class."""
    home: Any = np.linalg
    module = home._linalg if hasattr(home, "_linalg") else home.linalg
    return getattr(module, name, lambda *each: each)(*values)


@answers("linalg.lstsq")
def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    found = MATRIX_FUNCTIONS["linalg.lstsq"](a, b)
    spend(found.moved, found.flops)
    solution, residuals, values = (folded(*each) for each in found.results)
    return solution, residuals, np.int32(values.size), values


@answers("outer", "linalg.outer")
def _outer(a: Any, b: Any, out: Any = None) -> Any:
    first, second = _arrays(a, b)
    kind = np.result_type(first, second)
    count_elements(np.multiply, kind.kind, first.size * second.size)
    return _made([first, second], (first.size, second.size), kind, out)


@answers("kron")
def _kron(a: Any, b: Any) -> Any:
    first, second = _arrays(a, b)
    width = max(first.ndim, second.ndim)
    shapes = [(1,) * (width - array.ndim) + array.shape for array in (first, second)]
    kind = np.result_type(first, second)
    count_elements(np.multiply, kind.kind, first.size * second.size)
    return _made([first, second], [m * n for m, n in zip(*shapes, strict=True)], kind)


_singular_values = _operation(MATRIX_FUNCTIONS["linalg.svdvals"])


@answers("linalg.norm", "linalg.vector_norm", "linalg.matrix_norm")
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, **_: Any) -> Any:
    if ord in {2, -2, "nuc"} and (x.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2):
        _singular_values(x)
    add: Any = np.add
    found = add.reduce(x, axis=axis, keepdims=keepdims)
    kind = real_type(computed_type(x))
    return any_scalar(kind) if np.ndim(found) == 0 else folded(found.shape, kind)


@answers("linalg.matrix_power")
def _matrix_power(a: Any, n: int) -> Any:
    product = a
    for _ in range(max(0, abs(n).bit_length() - 1 + abs(n).bit_count() - 1)):
        product = product @ a
    return product


@answers("linalg.multi_dot")
def _multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Any:
    product = np.asanyarray(arrays[0])
    for array in arrays[1:]:
        product = np.dot(product, array)
    return product if out is None else out


def _by_description(numpy_function: Any, function: Function) -> Callable[..., Any] | None:
    if function.contraction is not None and not isinstance(numpy_function, np.ufunc):
        return _product(function)
    if function.operation is not None:
        return _operation(function.operation)
    implementation: Callable[..., Any] | None = getattr(numpy_function, "_implementation", None)
    return implementation if function.is_composed else None


for _numpy_function, _function in DESCRIBED.items():
    if _numpy_function not in FUNCTIONS and (_found := _by_description(_numpy_function, _function)) is not None:
        FUNCTIONS[_numpy_function] = _found
