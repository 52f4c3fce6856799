"""NumPy's universal functions on folded arrays (whose contents do not matter): times, result shapes and types."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from pysmpi.native import lib
from pysmpi.simulation.compute.flops import multiply_flops
from pysmpi.simulation.compute.folded.buffering import buffered_bytes
from pysmpi.simulation.compute.folded.memory import is_folded
from pysmpi.simulation.compute.folded.operation_time import count_elements, counts_buffers, spend, spend_on
from pysmpi.simulation.compute.folded.recency import is_whole
from pysmpi.simulation.compute.folded.results import Array, contents_matter, folded_order, result, standing_for
from pysmpi.simulation.compute.numpy_functions.contractions import contractions_of_ufunc

__all__ = ["apply"]

# NumPy writes the result of these operations into a temporary operand of at least _LEAST_OVERWRITTEN bytes: either
# operand if the operation is commutative, else the first.
_COMMUTATIVE = {np.add, np.multiply, np.bitwise_and, np.bitwise_or, np.bitwise_xor}
_OVERWRITING = _COMMUTATIVE | {np.subtract, np.divide}
_LEAST_OVERWRITTEN = 1 << 18

_WEAK = (int, float, complex)  # Python's numbers adopt the type of the array operand


def apply(
    ufunc: np.ufunc, method: str, inputs: Sequence[Any], named: dict[str, Any], temporaries: Sequence[bool]
) -> Any:
    """Return the result of ``ufunc.method(*inputs, **named)`` with a folded operand, after charging its time.

    Args:
        ufunc: NumPy's universal function.
        method: name of its method: "__call__", "reduce" and so on.
        inputs: operands.
        named: other arguments.
        temporaries: for each operand, whether only the operation refers to it.

    Raises:
        FoldedMemoryError: the operation works on matrices along unsupported axes.
        TypeError, ValueError: the operands are not valid for NumPy.
    """
    if method == "__call__":
        return _call(ufunc, inputs, named, temporaries)
    if method == "at":
        moved = sum(np.asanyarray(each).nbytes for each in inputs[1:])
        count_elements(ufunc, inputs[0].dtype.kind, np.size(inputs[1]))
        spend(moved + 2 * inputs[0].itemsize * np.size(inputs[1]))
        return None
    if method == "outer":
        first, second = map(np.asanyarray, inputs)
        return _call(ufunc, (first.reshape(first.shape + (1,) * second.ndim), second), named, (False, False))
    array = np.asanyarray(inputs[0])
    axes = _axes(named.get("axis", 0), array.ndim)
    kind = _reduced_type(ufunc, array, named.get("dtype"))
    if method == "reduce":
        keep = bool(named.get("keepdims", False))
        kept = [1 if i in axes else n for i, n in enumerate(array.shape) if keep or i not in axes]
    else:
        if len(axes) != 1:
            raise ValueError(f"{ufunc.__name__}.{method} needs exactly one axis")
        length = array.shape[axes[0]] if method == "accumulate" else np.size(inputs[1])
        kept = [length if i == axes[0] else n for i, n in enumerate(array.shape)]
    count_elements(ufunc, kind.kind, array.size)
    loop = array.shape if len(axes) == array.ndim else ()
    return _given([array], [(kept, kind)], named.get("out"), loop=loop)[0]


def _call(ufunc: np.ufunc, inputs: Sequence[Any], named: dict[str, Any], temporaries: Sequence[bool]) -> Any:
    arrays = [each if isinstance(each, np.ndarray) else np.asarray(each) for each in inputs]
    kinds = _result_types(ufunc, inputs, arrays, named)
    out = named.get("out")
    loop: tuple[int, ...] = ()
    if ufunc.signature is not None:
        cores = [core.split(",") if core else [] for core in re.findall(r"\(([^)]*)\)", ufunc.signature)]
        last = [tuple(range(-len(core), 0)) for core in cores]
        # The operator @= passes the last axes as `axes`.
        if named.get("axis") is not None or named.get("axes", last) != last:
            raise contents_matter(f"numpy.{ufunc.__name__} with axis or axes", "move these axes to the end first")
        contractions = contractions_of_ufunc(ufunc, arrays)
        sizes = contractions[0].sizes([array.shape for array in arrays])
        shapes = [each.shape(sizes) for each in contractions]
        flops = multiply_flops([*sizes.values()], 1, kinds[0].kind)
    else:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        if named.get("where", True) is not True:
            shape = np.broadcast_shapes(shape, np.shape(named["where"]))
        shapes, flops, loop = [shape] * ufunc.nout, 0.0, shape
        count_elements(ufunc, kinds[0].kind, math.prod(shape))
        out = out or _overwritten(ufunc, arrays, shape, kinds[0], temporaries)
    results = _given(arrays, list(zip(shapes, kinds, strict=True)), out, flops, loop)
    return results[0] if ufunc.nout == 1 else tuple(results)


def _result_types(
    ufunc: np.ufunc, inputs: Sequence[Any], arrays: Sequence[Array], named: dict[str, Any]
) -> "list[np.dtype[Any]]":
    known: list[Any] = [
        type(each) if type(each) in _WEAK else array.dtype for each, array in zip(inputs, arrays, strict=True)
    ]
    signature = named.get("signature")
    if named.get("dtype") is not None:
        signature = (None,) * ufunc.nin + (np.dtype(named["dtype"]),) * ufunc.nout
    more = {} if signature is None else {"signature": signature}
    casting = named.get("casting", "same_kind")
    resolved = ufunc.resolve_dtypes((*known, *[None] * ufunc.nout), casting=casting, **more)
    return list(resolved[ufunc.nin :])


def _reduced_type(ufunc: np.ufunc, array: Array, dtype: Any) -> "np.dtype[Any]":
    one: Any = ufunc.reduce(standing_for(array).reshape(-1)[:1], dtype=dtype)
    kind: np.dtype[Any] = one.dtype
    return kind


def _axes(axis: Any, dimensions: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(dimensions))
    axes = axis if isinstance(axis, tuple) else (axis,)
    for each in axes:
        if not -dimensions <= each < dimensions:
            raise np.exceptions.AxisError(each, dimensions)
    return tuple(each % dimensions for each in axes)


def _overwritten(
    ufunc: np.ufunc, arrays: Sequence[Array], shape: Sequence[int], kind: "np.dtype[Any]", temporaries: Sequence[bool]
) -> Array | None:
    """Return the temporary operand whose memory NumPy reuses for the result, or None (multiarray/temp_elide.c)."""
    if ufunc not in _OVERWRITING or lib.pysmpi_has_zones():
        return None
    operands = len(arrays) if ufunc in _COMMUTATIVE else 1
    for array, temporary in zip(arrays[:operands], temporaries, strict=False):
        fits = array.shape == shape and array.dtype == kind and array.nbytes >= _LEAST_OVERWRITTEN
        if temporary and fits and is_whole(array) and is_folded(array):
            return array
    return None


def _given(
    arrays: Sequence[Array],
    kinds: "Sequence[tuple[Sequence[int], np.dtype[Any]]]",
    out: Any,
    flops: float = 0.0,
    loop: tuple[int, ...] = (),
) -> list[Any]:
    outs = out if isinstance(out, tuple) else (out,) * len(kinds)
    results = []
    made, written = [], []
    for (shape, kind), given in zip(kinds, outs, strict=True):
        if given is None:
            results.append(result(shape, kind, folded_order(arrays)))
            made.append(results[-1])
            continue
        if np.broadcast_shapes(tuple(shape), given.shape) != given.shape:
            raise ValueError(f"an output of shape {given.shape} does not take a result of shape {tuple(shape)}")
        written.append(given)
        results.append(given)
    buffered = buffered_bytes([*arrays, *results], loop) if loop and counts_buffers() else 0
    spend_on(arrays, written, made, flops, buffered)
    return results
