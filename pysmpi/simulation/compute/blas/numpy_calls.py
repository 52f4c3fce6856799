"""Mapping of ``numpy.dot``, ``matmul``, ``inner``, ``vdot`` and ``numpy.linalg`` calls to BLAS and LAPACK routines."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pysmpi.simulation.compute.blas.replaced_function import Part, ReplacedFunction
from pysmpi.simulation.compute.blas.routines import precision_of
from pysmpi.simulation.compute.numpy_functions.contractions import (
    CALLING_BLAS,
    CONTRACTIONS,
    Contraction,
    Routine,
    shape_of,
)
from pysmpi.simulation.compute.numpy_functions.matrices import MATRIX_FUNCTIONS

__all__ = ["FUNCTIONS", "NumpyFunction"]

FUNCTIONS = (*CALLING_BLAS, *(name for name in MATRIX_FUNCTIONS if name.startswith("linalg.")))
"""Names of the NumPy functions that are replaced during a simulation."""

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

    def parts(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Part] | None:
        """Return the routines that a call runs, or None if BLAS and LAPACK do not support the operands' number type or
        shapes."""
        if self._key in CALLING_BLAS:
            found = CONTRACTIONS[self._key](shape_of, *arguments, **named)
            if found is None or not self._reaches_blas(found):
                return None
            operands = found.operands
            routine, times = found.routine(found.sizes(list(map(shape_of, operands))))
            if self._key == "vdot":
                routine = "dotc", routine[1]
            elif _is_with_own_transpose(*operands, inner=self._key == "inner"):
                n, k = np.shape(operands[0])
                routine, times = ("syrk", {"n": n, "k": k}), 1
            routines: Sequence[Routine] = [routine]
        else:
            operation = MATRIX_FUNCTIONS[self._key](*arguments, **named)
            operands, routines, times = operation.operands, operation.routines, operation.times
        precision = precision_of(_common_type(operands, computes=self._key.startswith("linalg.")).char)
        if precision is None:
            return None
        special = _OF_REAL if precision in "sd" else _OF_COMPLEX
        return [Part(precision + _exchanged(special, name), dict(sizes), times) for name, sizes in routines]

    def _reaches_blas(self, found: Contraction) -> bool:
        """Return whether NumPy calls BLAS: not for `dot` and `inner` of stacks of matrices."""
        return self._key not in {"dot", "inner"} or all(np.ndim(each) <= 2 for each in found.operands)


def _is_with_own_transpose(a: Any, b: Any, *, inner: bool) -> bool:
    """Return whether a product is that of a matrix with its transpose, for which BLAS computes half of the result."""
    if not all(isinstance(each, np.ndarray) and each.ndim == 2 for each in (a, b)):
        return False
    other = b if inner else b.T
    at = [each.__array_interface__["data"][0] for each in (a, other)]
    return bool(at[0] == at[1] and a.shape == other.shape and a.strides == other.strides and min(a.shape) > 1)


def _exchanged(special: dict[str, str], name: str) -> str:
    family, space, rest = name.partition(" ")
    return special.get(family, family) + space + rest


def _common_type(operands: Sequence[Any], *, computes: bool) -> "np.dtype[Any]":
    """Return the number type in which NumPy computes; `numpy.linalg` converts integers to double precision."""
    kind = np.result_type(*(getattr(operand, "dtype", None) or np.asarray(operand).dtype for operand in operands))
    return np.dtype(np.float64) if computes and kind.kind in "iub" else kind
