"""Prediction of the operands that NumPy copies through its buffers during an operation.

Element-wise operations run along inner loops. These are short if some operands are views with gaps or are repeated
(broadcast). NumPy can then copy such operands block by block into buffers, which makes the loops longer. It does so
if the loops grow by more than a factor of the number of copied operands plus one (since NumPy 2.3;
numpy/_core/src/multiarray/nditer_constr.c, "Best buffer and core size").
"""

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["buffered_bytes"]

_BUFFER = 8192  # elements; the default of numpy.getbufsize()


@functools.cache
def _buffers_views() -> bool:
    return bool(np.lib.NumpyVersion(np.__version__) >= "2.3.0")


def buffered_bytes(operands: Sequence[Any], shape: Sequence[int]) -> int:
    """Return the number of operand bytes that NumPy copies through buffers.

    Args:
        operands: arrays, results included.
        shape: shape of the element-wise loop, to which all operands are broadcast.
    """
    if len(shape) < 2 or not _buffers_views():
        return 0
    if all(operand.ndim == 0 or (operand.shape == shape and operand.flags.c_contiguous) for operand in operands):
        return 0
    strides = [_broadcast_strides(operand, shape) for operand in operands]
    axes = [axis for axis, extent in enumerate(shape) if extent > 1]
    axes.sort(key=lambda axis: (max(abs(each[axis]) for each in strides), -axis))  # the innermost first
    if not axes:
        return 0
    together = [True] * len(strides)  # for each operand, whether one stride leads through all axes so far
    size = best = shape[axes[0]]  # elements of the axes so far, and of the axes of the best loop
    cost = best_cost = 1
    apart = list(together)
    for before, axis in itertools.pairwise(axes):
        if size >= _BUFFER and cost > 1:
            break
        for i, each in enumerate(strides):
            if together[i] and each[before] * shape[before] != each[axis]:
                together[i] = False
                cost += 1
        size *= shape[axis]
        if cost * best <= best_cost * (min(size, _BUFFER) if cost > 1 else size):
            best_cost, best, apart = cost, size, list(together)
    elements = math.prod(shape)
    return sum(elements * operand.itemsize for operand, single in zip(operands, apart, strict=True) if not single)


def _broadcast_strides(operand: Any, shape: Sequence[int]) -> list[int]:
    missing = len(shape) - operand.ndim
    return [0] * missing + [0 if n == 1 else stride for n, stride in zip(operand.shape, operand.strides, strict=True)]
