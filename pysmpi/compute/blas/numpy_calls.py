"""Mapping of ``numpy.dot``, ``matmul``, ``inner``, ``vdot`` and ``numpy.linalg`` calls to BLAS and LAPACK routines."""

import math
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np

from pysmpi.compute.blas.calls import Part, ReplacedFunction
from pysmpi.compute.blas.routines import precision_of

__all__ = ["FUNCTIONS", "NumpyFunction"]

Shape = tuple[int, ...]
# The routines that a call runs (name without the precision letter, and sizes) and how often it runs them, or None if it
# runs no BLAS or LAPACK routine.
Description = tuple[list[tuple[str, dict[str, int]]], int] | None


def _multiplication(m: int, k: int, n: int) -> tuple[str, dict[str, int]]:
    """Return name (without precision letter) and sizes of the routine that NumPy uses for an (m, k) times (k, n)
    product."""
    if m == 1 and n == 1:
        return "dot", {"n": k}
    if m == 1 or n == 1:
        return "gemv", {"m": max(m, n), "n": k}
    return "gemm", {"m": m, "n": n, "k": k}


def _matmul(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    if not a or not b or {"axes", "axis"} & set(named):
        return None
    left = a if len(a) > 1 else (1, *a)
    right = b if len(b) > 1 else (*b, 1)
    if left[-1] != right[-2]:
        return None  # NumPy reports the error
    batch = np.broadcast_shapes(left[:-2], right[:-2])
    return [_multiplication(left[-2], left[-1], right[-1])], math.prod(batch)


def _dot(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    if not 1 <= len(a) <= 2 or not 1 <= len(b) <= 2:
        return None  # scalars, and operations that NumPy computes by its own loops
    return _matmul(a, b, named)


def _inner(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    return _dot(a, b[::-1], named)


def _vdot(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    return [("dotc", {"n": math.prod(a)})], 1


def _square(a: Shape) -> int:
    if len(a) < 2 or a[-1] != a[-2]:
        raise ValueError
    return a[-1]


def _solve(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    vector = len(b) == 1
    batch = np.broadcast_shapes(a[:-2], () if vector else b[:-2])
    return [("gesv", {"n": _square(a), "nrhs": 1 if vector else b[-1]})], math.prod(batch)


def _of_square(routine: str, *sizes: str) -> Callable[..., Description]:
    """Return a function that describes calls of a routine whose sizes all equal the order of a square matrix."""

    def describe(a: Shape, named: dict[str, Any]) -> Description:
        return [(routine, dict.fromkeys(sizes, _square(a)))], math.prod(a[:-2])

    return describe


def _svd(a: Shape, named: dict[str, Any]) -> Description:
    m, n = a[-2:]
    vectors = named.get("compute_uv", True)
    return [("gesdd", {"m": m, "n": n}) if vectors else ("gesdd without vectors", {})], math.prod(a[:-2])


def _qr(a: Shape, named: dict[str, Any]) -> Description:
    m, n = a[-2:]
    k = min(m, n)
    mode = named.get("mode", "reduced")
    routines = [("geqrf", {"m": m, "n": n})]
    if mode not in {"r", "raw"}:
        routines.append(("orgqr", {"m": m, "n": m if mode == "complete" else k, "k": k}))
    return routines, math.prod(a[:-2])


def _lstsq(a: Shape, b: Shape, named: dict[str, Any]) -> Description:
    m, n = a
    return [("gelsd", {"m": m, "n": n, "nrhs": math.prod(b[1:])})], 1


# For each function: the number of its arguments that are operands, and the function that describes a call.
FUNCTIONS: dict[str, tuple[int, Callable[..., Description]]] = {
    "dot": (2, _dot),
    "matmul": (2, _matmul),
    "inner": (2, _inner),
    "vdot": (2, _vdot),
    "linalg.solve": (2, _solve),
    "linalg.inv": (1, _of_square("gesv", "n", "nrhs")),
    "linalg.det": (1, _of_square("getrf", "m", "n")),
    "linalg.slogdet": (1, _of_square("getrf", "m", "n")),
    "linalg.cholesky": (1, _of_square("potrf", "n")),
    "linalg.eigh": (1, _of_square("heevd", "n")),
    "linalg.eigvalsh": (1, _of_square("heevd without vectors")),
    "linalg.eig": (1, _of_square("geev", "n")),
    "linalg.eigvals": (1, _of_square("geev without vectors")),
    "linalg.svd": (1, _svd),
    "linalg.svdvals": (1, lambda a, named: _svd(a, {"compute_uv": False})),
    "linalg.qr": (1, _qr),
    "linalg.lstsq": (2, _lstsq),
}

_OF_REAL = {"heevd": "syevd", "dotc": "dot"}
_OF_COMPLEX = {"dot": "dotu", "orgqr": "ungqr"}


class NumpyFunction(ReplacedFunction):
    """Stand-in for a function of NumPy.

    Args:
        original: the function to replace.
        name: name in `FUNCTIONS`.
    """

    def __init__(self, original: Any, name: str) -> None:
        super().__init__(original, f"numpy.{name}")
        self._key = name
        self._operands, self._describe = FUNCTIONS[name]
        try:
            self._names = list(signature(original).parameters)
        except ValueError:  # functions in C have no signature
            self._names = ["a", "b", "out"] if name == "dot" else ["x1", "x2"] if name == "matmul" else ["a", "b"]

    def _bind(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the list of operands, and a mapping of the other arguments by name."""
        by_name = dict(zip(self._names, arguments, strict=False)) | named
        return [by_name.pop(name) for name in self._names[: self._operands]], by_name

    def parts(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Part] | None:
        """Return the routines that a call runs, or None if BLAS and LAPACK do not support the operands' number type or
        shapes."""
        operands, others = self._bind(arguments, named)
        kind = _common_type(operands, computes=self._key.startswith("linalg."))
        precision = precision_of(kind.char)
        if precision is None:
            return None
        described = self._describe(*map(_shape, operands), others)
        if self._key in _PRODUCTS and _is_with_own_transpose(*operands, inner=self._key == "inner"):
            n, k = _shape(operands[0])
            described = [("syrk", {"n": n, "k": k})], 1
        if described is None:
            return None
        routines, times = described
        special = _OF_REAL if precision in "sd" else _OF_COMPLEX
        return [Part(precision + _exchanged(special, name), sizes, times) for name, sizes in routines]


_PRODUCTS = frozenset({"dot", "matmul", "inner"})


def _is_with_own_transpose(a: Any, b: Any, *, inner: bool) -> bool:
    """Return whether a product is that of a matrix with its transpose, of which BLAS computes one half."""
    if not all(isinstance(each, np.ndarray) and each.ndim == 2 for each in (a, b)):
        return False
    other = b if inner else b.T
    at = [each.__array_interface__["data"][0] for each in (a, other)]
    return bool(at[0] == at[1] and a.shape == other.shape and a.strides == other.strides and min(a.shape) > 1)


def _exchanged(special: dict[str, str], name: str) -> str:
    family, space, rest = name.partition(" ")
    return special.get(family, family) + space + rest


def _shape(operand: Any) -> Shape:
    return tuple(np.shape(operand))


def _common_type(operands: Sequence[Any], *, computes: bool) -> "np.dtype[Any]":
    """Return the number type in which NumPy computes; `numpy.linalg` converts integers to double precision."""
    kind = np.result_type(*(getattr(operand, "dtype", None) or np.asarray(operand).dtype for operand in operands))
    return np.dtype(np.float64) if computes and kind.kind in "iub" else kind
