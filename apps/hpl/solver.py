"""The solution of A·x = b: right-looking LU with partial pivoting, then back substitution (HPL_pdgesv, depth 0)."""

import numpy as np
import numpy.typing as npt
from arithmetic import Arithmetic, Matrix
from backsolve import back_substitute
from broadcast import broadcast
from distribution import local_count
from factorisation import Factorisation
from grid import Grid
from panel import Panel, storage_needed
from permutation import spread_counts
from swap import swap_exact, swap_modelled
from variant import Variant


class SingularMatrixError(Exception):
    """A pivot was exactly zero."""


def solve(grid: Grid, variant: Variant, matrix: Matrix, arithmetic: Arithmetic) -> npt.NDArray[np.float64]:
    """Overwrite the local part of [A b] with its factors, and return the local part of x (replicated by column)."""
    factor(grid, variant, matrix, arithmetic)
    return back_substitute(grid, variant.n, variant.nb, matrix, arithmetic)


def factor(grid: Grid, variant: Variant, matrix: Matrix, arithmetic: Arithmetic) -> None:
    """Factor panel by panel: factorisation, broadcast, row exchange and update of what is to the right."""
    n, nb = variant.n, variant.nb
    storage = arithmetic.empty(storage_needed(len(matrix), nb), 1)[:, 0]
    exact = arithmetic.exact
    if not exact:
        counts = spread_counts(n, nb, grid.p)
        rows_of_u = arithmetic.empty(nb * matrix.shape[1], 2)
    for index in range(-(-n // nb)):
        panel = Panel(grid, variant, index, matrix.shape, storage)
        if grid.my_column == panel.current_column:
            start = local_count(panel.first, nb, grid.my_column, grid.q)
            columns = matrix[:, start : start + panel.width]
            Factorisation(grid, panel, columns, arithmetic, variant).run()
        broadcast(grid, panel)
        if exact and panel.info[0]:
            raise SingularMatrixError(f"the pivot of column {int(panel.info[0]) - 1} is zero")
        if not panel.columns:
            continue
        trailing = matrix[:, panel.right :]
        if exact:
            u = swap_exact(grid, panel, trailing, arithmetic)
        else:
            u = rows_of_u[: panel.width * panel.columns, 0].reshape((panel.width, panel.columns), order="F")
            swap_modelled(grid, panel, counts[index], u, rows_of_u[: panel.width * panel.columns, 1])
        arithmetic.solve_lower(panel.l1, u)
        if exact and grid.my_row == panel.current_row:
            trailing[panel.top : panel.below] = u
        if panel.rows:
            arithmetic.multiply_subtract(trailing[panel.below :], panel.l2, u)
