"""`numpy.fft` on folded arrays (whose contents do not matter): times and shapes of results."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from pysmpi.compute.flops import transform_flops
from pysmpi.compute.folded.functions import answers
from pysmpi.compute.folded.results import folded
from pysmpi.compute.folded.timing import spend

__all__: list[str] = []

_Kind = Literal["complex", "from real", "to real"]


def _transform(kind: _Kind, a: Any, axes: Sequence[int], sizes: Sequence[Any] | None, out: Any) -> Any:
    single = a.dtype in {np.dtype(np.float32), np.dtype(np.complex64)}
    shape = list(a.shape)
    if kind == "to real":
        shape[axes[-1]] = 2 * (shape[axes[-1]] - 1)
    for axis, size in zip(axes, sizes or [], strict=bool(sizes)):
        shape[axis] = shape[axis] if size is None else size
    points = math.prod(shape[axis] for axis in axes)
    flops = transform_flops(math.prod(shape), points, is_complex=kind == "complex")
    if kind == "from real":
        shape[axes[-1]] = shape[axes[-1]] // 2 + 1
    if kind == "to real":
        dtype = np.dtype(np.float32 if single else np.float64)
    else:
        dtype = np.dtype(np.complex64 if single else np.complex128)
    spend(a.nbytes + math.prod(shape) * dtype.itemsize, flops)
    return folded(shape, dtype) if out is None else out


def _along_one(kind: _Kind) -> Callable[..., Any]:
    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
        return _transform(kind, a, [axis], None if n is None else [n], out)

    return transform


def _along_several(kind: _Kind, usual: tuple[int, ...] | None) -> Callable[..., Any]:
    def transform(a: Any, s: Any = None, axes: Any = usual, norm: Any = None, out: Any = None) -> Any:
        if axes is None:
            axes = range(-len(s), 0) if s is not None else range(a.ndim)
        return _transform(kind, a, list(axes), s, out)

    return transform


_PREFIXES: dict[_Kind, tuple[str, ...]] = {"complex": ("fft", "ifft"), "from real": ("rfft",), "to real": ("irfft",)}
for _kind, _names in _PREFIXES.items():
    for _name in _names:
        answers(f"fft.{_name}")(_along_one(_kind))
        answers(f"fft.{_name}2")(_along_several(_kind, (-2, -1)))
        answers(f"fft.{_name}n")(_along_several(_kind, None))
