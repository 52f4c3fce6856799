"""`numpy.linalg` on folded arrays (whose contents do not matter): times and shapes of results."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pysmpi.compute.flops import PER_CUBE, lstsq_flops, qr_flops, solve_flops, svd_flops, weight_of_kind
from pysmpi.compute.folded.functions import answers
from pysmpi.compute.folded.results import any_scalar, contents_matter, folded, result
from pysmpi.compute.folded.timing import spend

__all__: list[str] = []


def _kind(*arrays: Any) -> "np.dtype[Any]":
    return np.result_type(*arrays, np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64)


def _real(dtype: "np.dtype[Any]") -> "np.dtype[Any]":
    return np.empty(0, dtype).real.dtype


def _square(a: Any, what: str) -> tuple[tuple[int, ...], int]:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError(f"{what}: the array of shape {a.shape} does not hold square matrices")
    return a.shape[:-2], a.shape[-1]


def _factor(what: str, *shapes: Callable[[int], tuple[int, ...]], real: Sequence[int] = ()) -> Callable[..., Any]:
    """Return an implementation of the NumPy function `what` for stacks of square matrices of order n.

    The implementation charges the operations in `PER_CUBE` for each matrix. It returns one array for each function in
    `shapes`, which gives the shape for order n. Results whose index is in `real` are real numbers even if the matrix is
    complex.
    """

    def apply(a: Any, *_: Any, **__: Any) -> list[Any]:
        batch, n = _square(a, what)
        kind = _kind(a)
        kinds = [_real(kind) if i in real else kind for i in range(len(shapes))]
        made = [(*batch, *shape(n)) for shape in shapes]
        written = sum(math.prod(shape) * each.itemsize for shape, each in zip(made, kinds, strict=True))
        spend(a.nbytes + written, PER_CUBE[what] * n**3 * math.prod(batch) * weight_of_kind(kind.kind))
        return [result(shape, each) for shape, each in zip(made, kinds, strict=True)]

    return apply


def _matrix(n: int) -> tuple[int, ...]:
    return n, n


def _values(n: int) -> tuple[int, ...]:
    return (n,)


def _single(_n: int) -> tuple[int, ...]:
    return ()


_inverse = _factor("inv", _matrix)
_cholesky = _factor("cholesky", _matrix)
_determinant = _factor("det", _single)
_sign_and_logarithm = _factor("slogdet", _single, _single, real=[1])
_symmetric_values = _factor("eigvalsh", _values, real=[0])
_symmetric = _factor("eigh", _values, _matrix, real=[0])
_general_values = _factor("eigvals", _values)
_general = _factor("eig", _values, _matrix)


@answers("linalg.inv")
def _inv(a: Any) -> Any:
    return _inverse(a)[0]


@answers("linalg.cholesky")
def _cholesky_factor(a: Any, /, *, upper: bool = False) -> Any:
    return _cholesky(a)[0]


@answers("linalg.det")
def _det(a: Any) -> Any:
    return _determinant(a)[0]


@answers("linalg.slogdet")
def _slogdet(a: Any) -> Any:
    return _named("SlogdetResult", _sign_and_logarithm(a))


@answers("linalg.eigvalsh")
def _eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803, NumPy's name
    return _symmetric_values(a)[0]


@answers("linalg.eigh")
def _eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803, NumPy's name
    return _named("EighResult", _symmetric(a))


@answers("linalg.eigvals")
def _eigvals(a: Any) -> Any:
    return _general_values(a)[0]


@answers("linalg.eig")
def _eig(a: Any) -> Any:
    return _named("EigResult", _general(a))


def _named(name: str, values: Sequence[Any]) -> Any:
    """Return the values as NumPy's named tuple, or as a plain tuple if the installed NumPy lacks that class."""
    home: Any = np.linalg
    module = home._linalg if hasattr(home, "_linalg") else home.linalg
    return getattr(module, name, lambda *each: each)(*values)


@answers("linalg.solve")
def _solve(a: Any, b: Any) -> Any:
    first, second = np.asanyarray(a), np.asanyarray(b)
    batch, n = _square(first, "solve")
    kind = _kind(first, second)
    vectors = second.ndim == 1
    columns = 1 if vectors else second.shape[-1]
    batch = batch if vectors else np.broadcast_shapes(batch, second.shape[:-2])
    if second.shape[-1 if vectors else -2] != n:
        raise ValueError(f"solve: shapes {first.shape} and {second.shape} do not match")
    shape = (*batch, n) if vectors else (*batch, n, columns)
    flops = solve_flops(n, columns) * math.prod(batch) * weight_of_kind(kind.kind)
    spend(first.nbytes + second.nbytes + math.prod(shape) * kind.itemsize, flops)
    return folded(shape, kind)


@answers("linalg.lstsq")
def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    first, second = np.asanyarray(a), np.asanyarray(b)
    if first.ndim != 2 or second.ndim not in {1, 2}:
        raise np.linalg.LinAlgError(
            f"lstsq: shapes {first.shape} and {second.shape} are not a matrix and right-hand sides"
        )
    if first.shape[0] != second.shape[0]:
        raise np.linalg.LinAlgError(f"lstsq: shapes {first.shape} and {second.shape} do not match")
    m, n = first.shape
    sides = second.shape[1:]
    columns = math.prod(sides)
    k = min(m, n)
    kind = _kind(first, second)
    # The matrix counts as having full rank: NumPy then returns residuals if it has more rows than columns.
    flops = lstsq_flops(m, n, columns) * weight_of_kind(kind.kind)
    spend(first.nbytes + second.nbytes + (n * columns + k) * kind.itemsize, flops)
    residuals = (columns if m > n else 0,)
    return folded((n, *sides), kind), folded(residuals, _real(kind)), np.int32(k), folded((k,), _real(kind))


@answers("linalg.qr")
def _qr(a: Any, mode: str = "reduced") -> Any:
    *batch, m, n = a.shape
    k = min(m, n)
    kind = _kind(a)
    if mode not in {"reduced", "complete", "r"}:
        raise contents_matter(f"numpy.linalg.qr on folded arrays with mode={mode!r}")
    flops = qr_flops(m, n, makes_q=mode != "r") * math.prod(batch) * weight_of_kind(kind.kind)
    inner = m if mode == "complete" else k
    q, r = (*batch, m, inner), (*batch, inner, n)
    spend(a.nbytes + (math.prod(q) + math.prod(r)) * kind.itemsize, flops)
    return folded(r, kind) if mode == "r" else _named("QRResult", [folded(q, kind), folded(r, kind)])


@answers("linalg.svd")
def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    *batch, m, n = a.shape
    k = min(m, n)
    kind = _kind(a)
    flops = svd_flops(m, n, makes_vectors=compute_uv)
    left, right = ((m, m), (n, n)) if full_matrices else ((m, k), (k, n))
    made = [((*batch, *left), kind), ((*batch, k), _real(kind)), ((*batch, *right), kind)]
    if not compute_uv:
        made = made[1:2]
    spend(
        a.nbytes + sum(math.prod(shape) * each.itemsize for shape, each in made),
        flops * math.prod(batch) * weight_of_kind(kind.kind),
    )
    results = [folded(shape, each) for shape, each in made]
    return _named("SVDResult", results) if compute_uv else results[0]


@answers("linalg.svdvals")
def _svdvals(x: Any, /) -> Any:
    return _svd(x, compute_uv=False)


@answers("linalg.norm", "linalg.vector_norm", "linalg.matrix_norm")
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, **_: Any) -> Any:
    if ord in {2, -2, "nuc"} and (x.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2):
        _svd(x, compute_uv=False)
    add: Any = np.add
    found = add.reduce(x, axis=axis, keepdims=keepdims)
    kind = _real(_kind(x))
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


@answers("linalg.matmul")
def _matmul(x1: Any, x2: Any, /) -> Any:
    return np.matmul(x1, x2)
