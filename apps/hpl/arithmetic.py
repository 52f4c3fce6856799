"""Products and triangular solves on parts of arrays. Matrices are row- or column-major; L is unit lower triangular."""

from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


def multiply_subtract(c: Matrix, a: Matrix, b: Matrix) -> None:
    """Compute C ← C - A·B in place."""
    c -= a @ b


def solve_lower(lower: Matrix, b: Matrix) -> None:
    """Compute B ← L⁻¹·B in place."""
    if b.size:
        b[...] = _blas().dtrsm(1.0, lower, b, lower=1, diag=1)


def solve_upper(upper: Matrix, y: Matrix) -> Matrix:
    """Return U⁻¹·y for the upper triangle of a square block."""
    solution: Matrix = _blas().dtrsv(upper, y)
    return solution


def load_library() -> None:
    """Load the BLAS library now, so that its loading is not part of a measured time."""
    _blas()


def _blas() -> Any:
    from scipy.linalg import blas  # imported here, because models do not need SciPy

    return blas
