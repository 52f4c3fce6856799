"""Functions of matrices in `numpy.linalg`, and Fourier transforms: results, operations, and routines of LAPACK."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pysmpi.simulation.compute.flops import matrix_flops, transform_flops, weight_of_kind
from pysmpi.simulation.compute.numpy_functions.contractions import Routine

__all__ = ["MATRIX_FUNCTIONS", "Operation", "computed_type", "real_type"]

_Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operation:
    """Results and costs of one call of a matrix function of `numpy.linalg`, or of a Fourier transform of `numpy.fft`.

    Attributes:
        operands: arrays that are read.
        results: shapes and types of the results.
        flops: number of floating-point operations.
        routines: routines of LAPACK that are called for each matrix; empty for a Fourier transform.
        times: number of matrices.
        result_class: class in `numpy.linalg` of the tuple of results, or an empty string for a single result.
        out: array for the result, or None.
        written: number of bytes that are written, or None if it is the size of the results.
    """

    operands: tuple[Any, ...]
    results: "list[tuple[_Shape, np.dtype[Any]]]"
    flops: float
    routines: Sequence[Routine] = ()
    times: int = 1
    result_class: str = ""
    out: Any = None
    written: int | None = None

    @property
    def moved(self) -> int:
        """Number of bytes that are read and written."""
        results = sum(math.prod(shape) * kind.itemsize for shape, kind in self.results)
        read: int = sum(each.nbytes for each in self.operands)
        return read + (results if self.written is None else self.written)


def computed_type(*arrays: Any) -> "np.dtype[Any]":
    """Return the type in which `numpy.linalg` computes with arrays."""
    return np.result_type(*arrays, np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64)


def real_type(dtype: "np.dtype[Any]") -> "np.dtype[Any]":
    """Return the type of the real part of numbers of this type, such as float32 for complex64."""
    return np.empty(0, dtype).real.dtype


def _square(a: Any, what: str) -> tuple[_Shape, int]:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError(f"{what}: the array of shape {a.shape} does not hold square matrices")
    return a.shape[:-2], a.shape[-1]


_MATRIX: Callable[[int], _Shape] = lambda n: (n, n)  # noqa: E731
_VALUES: Callable[[int], _Shape] = lambda n: (n,)  # noqa: E731
_SINGLE: Callable[[int], _Shape] = lambda n: ()  # noqa: E731


def _of_square(
    name: str, routine: str, shapes: Sequence[Callable[[int], _Shape]], result_class: str = "", real: int | None = None
) -> Callable[..., Operation]:
    """Return a function that returns the `Operation` of a call with square matrices.

    Args:
        name: function in `numpy.linalg`.
        routine: LAPACK routine, then the names of its sizes, all of which equal the order of the matrix: "gesv,n,nrhs".
        shapes: functions that return the shapes of the results for a matrix of order n.
        result_class: class in `numpy.linalg` of the tuple of results, or an empty string for a single result.
        real: index of the result that is real even if the matrix is complex, or None.
    """
    called, *sizes = routine.split(",")

    def describe(a: Any, *_: Any, **__: Any) -> Operation:
        a = np.asanyarray(a)
        batch, n = _square(a, name)
        kind, times = computed_type(a), math.prod(batch)
        results = [((*batch, *shape(n)), real_type(kind) if i == real else kind) for i, shape in enumerate(shapes)]
        flops = matrix_flops(name, n, n) * times * weight_of_kind(kind.kind)
        return Operation((a,), results, flops, [(called, dict.fromkeys(sizes, n))], times, result_class)

    return describe


def _solve(a: Any, b: Any) -> Operation:
    a, b = np.asanyarray(a), np.asanyarray(b)
    batch, n = _square(a, "solve")
    kind = computed_type(a, b)
    is_vector = b.ndim == 1
    columns = 1 if is_vector else b.shape[-1]
    batch = batch if is_vector else np.broadcast_shapes(batch, b.shape[:-2])
    if b.shape[-1 if is_vector else -2] != n:
        raise ValueError(f"solve: shapes {a.shape} and {b.shape} do not match")
    times = math.prod(batch)
    flops = matrix_flops("solve", n, n, columns) * times * weight_of_kind(kind.kind)
    shape = (*batch, n) if is_vector else (*batch, n, columns)
    return Operation((a, b), [(shape, kind)], flops, [("gesv", {"n": n, "nrhs": columns})], times)


def _lstsq(a: Any, b: Any, rcond: Any = None) -> Operation:
    a, b = np.asanyarray(a), np.asanyarray(b)
    if a.ndim != 2 or b.ndim not in {1, 2}:
        raise np.linalg.LinAlgError(f"lstsq: shapes {a.shape} and {b.shape} are not a matrix and right-hand sides")
    if a.shape[0] != b.shape[0]:
        raise np.linalg.LinAlgError(f"lstsq: shapes {a.shape} and {b.shape} do not match")
    m, n = a.shape
    columns = math.prod(b.shape[1:])
    kind = computed_type(a, b)
    # The matrix counts as having full rank: NumPy then returns residuals if it has more rows than columns.
    results = [
        ((n, *b.shape[1:]), kind),
        ((columns if m > n else 0,), real_type(kind)),
        ((min(m, n),), real_type(kind)),
    ]
    flops = matrix_flops("lstsq", m, n, columns) * weight_of_kind(kind.kind)
    written = (n * columns + min(m, n)) * kind.itemsize
    return Operation((a, b), results, flops, [("gelsd", {"m": m, "n": n, "nrhs": columns})], written=written)


def _qr(a: Any, mode: str = "reduced") -> Operation:
    a = np.asanyarray(a)
    *batch, m, n = a.shape
    k, kind, times = min(m, n), computed_type(a), math.prod(batch)
    inner = m if mode == "complete" else k
    q, r = (m, inner), (inner, n)
    shapes = {"reduced": [q, r], "complete": [q, r], "r": [r], "raw": [(n, m), (k,)]}.get(mode)
    if shapes is None:
        raise ValueError(f"numpy.linalg.qr: unknown mode {mode!r} (valid: reduced, complete, r, raw)")
    results: list[tuple[_Shape, np.dtype[Any]]] = [((*batch, *shape), kind) for shape in shapes]
    makes_q = mode not in {"r", "raw"}
    flops = matrix_flops("qr", m, n, makes_vectors=makes_q) * times * weight_of_kind(kind.kind)
    routines: list[Routine] = [("geqrf", {"m": m, "n": n}), ("orgqr", {"m": m, "n": inner, "k": k})]
    result_class = {"r": "", "raw": "tuple"}.get(mode, "QRResult")
    written = times * (m + n) * inner * kind.itemsize  # the factors replace a copy of the matrix
    return Operation((a,), results, flops, routines[: 2 if makes_q else 1], times, result_class, written=written)


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Operation:
    a = np.asanyarray(a)
    *batch, m, n = a.shape
    k, kind, times = min(m, n), computed_type(a), math.prod(batch)
    left, right = ((m, m), (n, n)) if full_matrices else ((m, k), (k, n))
    results = [((*batch, *left), kind), ((*batch, k), real_type(kind)), ((*batch, *right), kind)]
    flops = matrix_flops("svd", m, n, makes_vectors=compute_uv) * times * weight_of_kind(kind.kind)
    if not compute_uv:
        return Operation((a,), results[1:2], flops, [("gesdd without vectors", {})], times)
    return Operation((a,), results, flops, [("gesdd", {"m": m, "n": n})], times, "SVDResult")


_Kind = Literal["complex", "from real", "to real"]


def _transform(kind: _Kind, a: Any, axes: Sequence[int], sizes: Sequence[Any] | None, out: Any) -> Operation:
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
    types = (np.float32, np.float64) if kind == "to real" else (np.complex64, np.complex128)
    return Operation((a,), [(tuple(shape), np.dtype(types[0 if single else 1]))], flops, out=out)


def _along_one(kind: _Kind) -> Callable[..., Operation]:
    def describe(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Operation:
        return _transform(kind, np.asanyarray(a), [axis], None if n is None else [n], out)

    return describe


def _along_several(kind: _Kind, usual: tuple[int, ...] | None) -> Callable[..., Operation]:
    def describe(a: Any, s: Any = None, axes: Any = usual, norm: Any = None, out: Any = None) -> Operation:
        a = np.asanyarray(a)
        if axes is None:
            axes = range(-len(s), 0) if s is not None else range(a.ndim)
        return _transform(kind, a, list(axes), s, out)

    return describe


_TRANSFORMS: Mapping[str, _Kind] = {"fft": "complex", "ifft": "complex", "rfft": "from real", "irfft": "to real"}

MATRIX_FUNCTIONS: Mapping[str, Callable[..., Operation]] = {
    "linalg.inv": _of_square("inv", "gesv,n,nrhs", [_MATRIX]),
    "linalg.cholesky": _of_square("cholesky", "potrf,n", [_MATRIX]),
    "linalg.det": _of_square("det", "getrf,m,n", [_SINGLE]),
    "linalg.slogdet": _of_square("slogdet", "getrf,m,n", [_SINGLE, _SINGLE], "SlogdetResult", real=1),
    "linalg.eigvalsh": _of_square("eigvalsh", "heevd without vectors", [_VALUES], real=0),
    "linalg.eigh": _of_square("eigh", "heevd,n", [_VALUES, _MATRIX], "EighResult", real=0),
    "linalg.eigvals": _of_square("eigvals", "geev without vectors", [_VALUES]),
    "linalg.eig": _of_square("eig", "geev,n", [_VALUES, _MATRIX], "EigResult"),
    "linalg.solve": _solve,
    "linalg.lstsq": _lstsq,
    "linalg.qr": _qr,
    "linalg.svd": _svd,
    "linalg.svdvals": lambda x: _svd(x, compute_uv=False),
    **{f"fft.{name}": _along_one(kind) for name, kind in _TRANSFORMS.items()},
    **{f"fft.{name}2": _along_several(kind, (-2, -1)) for name, kind in _TRANSFORMS.items()},
    **{f"fft.{name}n": _along_several(kind, None) for name, kind in _TRANSFORMS.items()},
}
"""Functions that return the `Operation` of a call, by the name of NumPy's function, whose arguments they take."""
