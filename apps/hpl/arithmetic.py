"""What a process computes between messages: for real, or as time that passes.

Both kinds offer the operations of the factorisation under one interface; matrices are column-major, L is unit lower
triangular. The modelled kind takes the sizes only: dgemm and dtrsm inject their predicted time, everything else is
free, and arrays are folded memory, so that neither arithmetic nor storage limits the simulated size.
"""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import pysmpi

Matrix = npt.NDArray[np.float64]


class Arithmetic(Protocol):
    """The operations the phases of HPL are written in."""

    exact: bool

    def empty(self, rows: int, columns: int) -> Matrix:
        """A rows × columns array, column-major, contents undefined."""

    def multiply_subtract(self, c: Matrix, a: Matrix, b: Matrix) -> None:
        """C ← C - A·B (dgemm)."""

    def solve_lower(self, lower: Matrix, b: Matrix) -> None:
        """B ← L⁻¹·B with unit lower triangular L (dtrsm)."""


class ExactArithmetic:
    """Real numbers through scipy's BLAS."""

    exact = True

    def __init__(self) -> None:
        from scipy.linalg import blas

        self.blas: Any = blas

    def empty(self, rows: int, columns: int) -> Matrix:
        """A rows × columns array, column-major, contents undefined."""
        return np.empty((rows, columns), order="F")

    def multiply_subtract(self, c: Matrix, a: Matrix, b: Matrix) -> None:
        """C ← C - A·B; C is a part of the local matrix, which dgemm as wrapped by scipy could only update by a copy."""
        c -= self.blas.dgemm(1.0, a, b)

    def solve_lower(self, lower: Matrix, b: Matrix) -> None:
        """B ← L⁻¹·B."""
        b[...] = self.blas.dtrsm(1.0, lower, b, lower=1, diag=1)


class ModelledArithmetic:
    """Time alone: dgemm takes c_gemm·M·N·K and dtrsm c_trsm·M·N² seconds, N the order of the triangle.

    The two-coefficient model of T. Cornebize, "Capacity Planning of Supercomputers", 2017, section 3.1.
    """

    exact = False

    def __init__(self, c_gemm: float, c_trsm: float) -> None:
        self.c_gemm, self.c_trsm = c_gemm, c_trsm

    def empty(self, rows: int, columns: int) -> Matrix:
        """A folded array: all of them, on every rank, are the same memory."""
        matrix: Matrix = pysmpi.folded_empty((rows, columns), order="F")
        return matrix

    def multiply_subtract(self, c: Matrix, a: Matrix, b: Matrix) -> None:
        """Let the time of C ← C - A·B pass."""
        rows, columns = c.shape
        pysmpi.execute(self.c_gemm * rows * columns * a.shape[1])

    def solve_lower(self, lower: Matrix, b: Matrix) -> None:
        """Let the time of B ← L⁻¹·B pass."""
        order, columns = b.shape
        pysmpi.execute(self.c_trsm * columns * order * order)
