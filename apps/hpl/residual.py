"""HPL's check of the solution: the scaled residual of the regenerated system, and x gathered on one process."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from distribution import global_indices, owner
from grid import Grid
from matgen import generate
from mpi4py import MPI

EPSILON = 2.0**-53  # relative machine precision, as returned by HPL_pdlamch with rounding

Vector = npt.NDArray[np.float64]


class Residual(NamedTuple):
    """Norms of the solved system, and ||Ax-b||_oo / (eps·(||A||_oo·||x||_oo + ||b||_oo)·N)."""

    scaled: float
    unscaled: float
    a_infinity: float
    a_one: float
    x_infinity: float
    x_one: float
    b_infinity: float


def check(grid: Grid, n: int, nb: int, x: Vector) -> Residual:
    """Return the residual; every process of the grid calls this with its part of x, and all get the same result."""
    matrix = generate(grid, n, nb)
    on_b = grid.my_column == owner(n, nb, grid.q)
    b = matrix[:, -1].copy() if on_b else np.zeros(len(matrix))
    a = matrix[:, :-1] if on_b else matrix

    rest = grid.row_comm.allreduce(b - a @ x)
    row_sums = grid.row_comm.allreduce(np.abs(a).sum(axis=1))
    column_sums = grid.column_comm.allreduce(np.abs(a).sum(axis=0))
    x_one = grid.row_comm.allreduce(float(np.abs(x).sum()))
    local = np.array([largest(rest), largest(row_sums), largest(column_sums), largest(x), largest(b)])
    grid.world.Allreduce(MPI.IN_PLACE, local, MPI.MAX)
    unscaled, a_infinity, a_one, x_infinity, b_infinity = (float(value) for value in local)
    scaled = unscaled / (EPSILON * (a_infinity * x_infinity + b_infinity) * n)
    return Residual(scaled, unscaled, a_infinity, a_one, x_infinity, x_one, b_infinity)


def largest(values: Vector) -> float:
    """Return the maximum norm: 0 without values, NaN if any value is NaN."""
    return float(np.abs(values).max(initial=0.0))


def gather_solution(grid: Grid, n: int, nb: int, x: Vector) -> Vector | None:
    """Return the whole x on rank 0 of the grid, None elsewhere."""
    if grid.my_row != 0:
        return None
    parts = grid.row_comm.gather(x)
    if parts is None:
        return None
    whole = np.empty(n)
    for column, part in enumerate(parts):
        whole[global_indices(n, nb, column, grid.q)] = part
    return whole
