"""dgemm and dtrsm, on parts of arrays. Matrices may be column-major or row-major; L is unit lower triangular."""

from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


def multiply_subtract(c: Matrix, a: Matrix, b: Matrix) -> None:
    """C ← C - A·B."""
    c -= a @ b


def solve_lower(lower: Matrix, b: Matrix) -> None:
    """B ← L⁻¹·B."""
    if b.size:
        b[...] = _blas().dtrsm(1.0, lower, b, lower=1, diag=1)


def solve_upper(upper: Matrix, y: Matrix) -> Matrix:
    """U⁻¹·y for the upper triangle of a square block."""
    solution: Matrix = _blas().dtrsv(upper, y)
    return solution


def load_library() -> None:
    """Load BLAS now, so that no time that is measured holds it."""
    _blas()


def _blas() -> Any:
    from scipy.linalg import blas  # here, because models do without

    return blas
