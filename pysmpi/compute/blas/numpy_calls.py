"""``numpy.dot``, ``matmul``, ``inner``, ``vdot`` and ``numpy.linalg``: the routines that their calls amount to."""

import math
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np

from pysmpi.compute.blas.calls import Part, ReplacedFunction
from pysmpi.compute.blas.routines import precision_of
from pysmpi.compute.folded import folded_empty, is_folded

__all__ = ["FUNCTIONS", "NumpyFunction"]

Shape = tuple[int, ...]
# By the operands' shapes and the other arguments: routines with their sizes (the precision in front is left out), how
# often, and the shapes of the results; None when no such routine is called.
Description = tuple[list[tuple[str, dict[str, int]]], int, list[Shape]] | None


def _multiplication(m: int, k: int, n: int) -> tuple[str, dict[str, int]]:
    """NumPy calls the simplest routine that does for an m by k matrix times a k by n one."""
    if m == 1 and n == 1:
        return "dot", {"n": k}
    if m == 1 or n == 1:
        return "gemv", {"m": max(m, n), "n": k}
    return "gemm", {"m": m, "n": n, "k": k}


def _matmul(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    if not a or not b or {"axes", "axis", "where"} & set(named):
        return None
    left = a if len(a) > 1 else (1, *a)
    right = b if len(b) > 1 else (*b, 1)
    if left[-1] != right[-2]:
        return None  # an error, which NumPy words
    batch = np.broadcast_shapes(left[:-2], right[:-2])
    m, k, n = left[-2], left[-1], right[-1]
    shape = batch + ((m,) if len(a) > 1 else ()) + ((n,) if len(b) > 1 else ())
    return [_multiplication(m, k, n)], math.prod(batch), [shape]


def _dot(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    if not 1 <= len(a) <= 2 or not 1 <= len(b) <= 2:
        return None  # scalars, and loops of NumPy's own
    return _matmul(a, b, named)


def _inner(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    return _dot(a, b[::-1], named)


def _vdot(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    return [("dotc", {"n": math.prod(a)})], 1, [()]


def _square(a: Shape) -> int:
    if len(a) < 2 or a[-1] != a[-2]:
        raise ValueError
    return a[-1]


def _solve(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    n = _square(a)
    vector = len(b) == 1
    batch = np.broadcast_shapes(a[:-2], () if vector else b[:-2])
    return [("gesv", {"n": n, "nrhs": 1 if vector else b[-1]})], math.prod(batch), [batch + (b if vector else b[-2:])]


def _inv(a: Shape, named: dict[str, Any]) -> Description:
    n = _square(a)
    return [("gesv", {"n": n, "nrhs": n})], math.prod(a[:-2]), [a]


def _determinant(results: int) -> Callable[..., Description]:
    def describe(a: Shape, named: dict[str, Any]) -> Description:
        n = _square(a)
        return [("getrf", {"m": n, "n": n})], math.prod(a[:-2]), [a[:-2]] * results

    return describe


def _cholesky(a: Shape, named: dict[str, Any]) -> Description:
    return [("potrf", {"n": _square(a)})], math.prod(a[:-2]), [a]


def _eigh(a: Shape, named: dict[str, Any]) -> Description:
    return [("heevd", {"n": _square(a)})], math.prod(a[:-2]), [a[:-1], a]


def _eig(a: Shape, named: dict[str, Any]) -> Description:
    return [("geev", {"n": _square(a)})], math.prod(a[:-2]), [a[:-1], a]


def _without_vectors(routine: str) -> Callable[..., Description]:
    return lambda a, named: ([(f"{routine} without vectors", {})], math.prod(a[:-2]), [])


def _svd(a: Shape, named: dict[str, Any]) -> Description:
    if not named.get("compute_uv", True):
        return [("gesdd without vectors", {})], 1, []
    m, n = a[-2:]
    k = min(m, n)
    whole = named.get("full_matrices", True)
    u, vh = ((m, m), (n, n)) if whole else ((m, k), (k, n))
    batch = a[:-2]
    return [("gesdd", {"m": m, "n": n})], math.prod(batch), [batch + u, (*batch, k), batch + vh]


def _qr(a: Shape, named: dict[str, Any]) -> Description:
    m, n = a[-2:]
    k = min(m, n)
    mode = named.get("mode", "reduced")
    factors = ("geqrf", {"m": m, "n": n})
    batch = a[:-2]
    times = math.prod(batch)
    if mode == "r":
        return [factors], times, [(*batch, k, n)]
    if mode == "raw":
        return [factors], times, [(*batch, n, m), (*batch, k)]
    columns = m if mode == "complete" else k
    return (
        [factors, ("orgqr", {"m": m, "n": columns, "k": k})],
        times,
        [(*batch, m, columns), (*batch, columns if mode == "complete" else k, n)],
    )


def _lstsq(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    m, n = a
    columns = b[1:]
    return [("gelsd", {"m": m, "n": n, "nrhs": math.prod(columns)})], 1, [(n, *columns), columns, (), (min(m, n),)]


# By function: how many of its arguments are operands, and what its calls amount to.
FUNCTIONS: dict[str, tuple[int, Callable[..., Description]]] = {
    "dot": (2, _dot),
    "matmul": (2, _matmul),
    "inner": (2, _inner),
    "vdot": (2, _vdot),
    "linalg.solve": (2, _solve),
    "linalg.inv": (1, _inv),
    "linalg.det": (1, _determinant(1)),
    "linalg.slogdet": (1, _determinant(2)),
    "linalg.cholesky": (1, _cholesky),
    "linalg.eigh": (1, _eigh),
    "linalg.eigvalsh": (1, _without_vectors("heevd")),
    "linalg.eig": (1, _eig),
    "linalg.eigvals": (1, _without_vectors("geev")),
    "linalg.svd": (1, _svd),
    "linalg.svdvals": (1, _without_vectors("gesdd")),
    "linalg.qr": (1, _qr),
    "linalg.lstsq": (2, _lstsq),
}

_OF_REAL = {"heevd": "syevd", "dotc": "dot"}
_OF_COMPLEX = {"dot": "dotu", "orgqr": "ungqr"}
_PACKED = {
    "eigh": "EighResult",
    "eig": "EigResult",
    "svd": "SVDResult",
    "qr": "QRResult",
    "slogdet": "SlogdetResult",
}
_REAL_RESULTS = {"linalg.slogdet": (1,), "linalg.eigh": (0,), "linalg.svd": (1,), "linalg.lstsq": (1, 3)}


class NumpyFunction(ReplacedFunction):
    """A function of NumPy.

    Args:
        original: the function.
        name: a name of `FUNCTIONS`.
    """

    def __init__(self, original: Any, name: str) -> None:
        super().__init__(original, f"numpy.{name}")
        self._key = name
        self._operands, self._describe = FUNCTIONS[name]
        try:
            self._names = list(signature(original).parameters)
        except ValueError:  # functions in C
            self._names = ["a", "b", "out"] if name == "dot" else ["x1", "x2"] if name == "matmul" else ["a", "b"]

    def _bind(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The operands, and the other arguments by name."""
        by_name = dict(zip(self._names, arguments, strict=False)) | named
        return [by_name.pop(name) for name in self._names[: self._operands]], by_name

    def parts(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Part] | None:
        """The routines; None for numbers that they are not made for."""
        operands, others = self._bind(arguments, named)
        kind = _common_type(operands, computes=self._key.startswith("linalg."))
        precision = precision_of(kind.char)
        if precision is None:
            return None
        described = self._describe(*map(_shape, operands), others)
        if described is None:
            return None
        routines, times, _ = described
        special = _OF_REAL if precision in "sd" else _OF_COMPLEX
        return [Part(precision + _exchanged(special, name), sizes, times) for name, sizes in routines]

    def folded(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Results that are folded, where any operand is."""
        operands, others = self._bind(arguments, named)
        if not any(isinstance(operand, np.ndarray) and is_folded(operand) for operand in operands):
            return NotImplemented
        described = self._describe(*map(_shape, operands), others)
        assert described is not None
        kind = _common_type(operands, computes=self._key.startswith("linalg."))
        if self._key == "linalg.eig":
            kind = np.result_type(kind, np.complex64)
        out = others.get("out")
        if out is not None:
            return out[0] if isinstance(out, tuple) else out
        real = _REAL_RESULTS.get(self._key, ())
        results = [
            _result(shape, np.dtype(kind.char.lower()) if i in real else kind) for i, shape in enumerate(described[2])
        ]
        return self._packed(results)

    def _packed(self, results: Sequence[Any]) -> Any:
        if len(results) == 1:
            return results[0]
        if self._key == "linalg.lstsq":
            x, residuals, _, values = results
            return x, residuals, int(values.size), values
        home = self._original.__wrapped__.__globals__
        return home[_PACKED[self._key.removeprefix("linalg.")]](*results)


def _exchanged(special: dict[str, str], name: str) -> str:
    family, space, rest = name.partition(" ")
    return special.get(family, family) + space + rest


def _shape(operand: Any) -> Shape:
    return tuple(np.shape(operand))


def _common_type(operands: Sequence[Any], *, computes: bool) -> "np.dtype[Any]":
    """In which NumPy carries it out; integers become numbers of double precision where it solves."""
    kind = np.result_type(*(getattr(operand, "dtype", None) or np.asarray(operand).dtype for operand in operands))
    return np.dtype(np.float64) if computes and kind.kind in "iub" else kind


def _result(shape: Shape, kind: "np.dtype[Any]") -> Any:
    return folded_empty(shape, kind) if shape else kind.type(1)
