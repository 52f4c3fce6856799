"""Back substitution: solve U·x = y, where y is the last column of the factored matrix.

Blocks are solved from the last to the first. The process row that holds block k of y sums its parts. The owner of the
diagonal block solves for block k of x and sends it along its process column, which subtracts it from the rows above.
"""

import numpy as np
import numpy.typing as npt
from arithmetic import Matrix, solve_upper
from distribution import local_count, owner
from grid import Grid
from mpi4py import MPI

Vector = npt.NDArray[np.float64]


def back_substitute(grid: Grid, n: int, nb: int, matrix: Matrix) -> Vector:
    """Return the local part of x: the entries of this process's columns, equal in the whole process column."""
    x = np.empty(local_count(n, nb, grid.my_column, grid.q))
    # This process column's share of the remaining right-hand side.
    y = matrix[:, -1].copy() if grid.my_column == owner(n, nb, grid.q) else np.zeros(len(matrix))
    summed = np.empty(nb)
    for index in reversed(range(-(-n // nb))):
        row, column = index % grid.p, index % grid.q
        if row != grid.my_row and column != grid.my_column:
            continue
        width = min(nb, n - index * nb)
        top, left = index // grid.p * nb, index // grid.q * nb
        if grid.my_row == row:
            grid.row_comm.Reduce(y[top : top + width], summed[:width], MPI.SUM, column)
        if grid.my_column == column:
            block = x[left : left + width]
            if grid.my_row == row:
                diagonal = matrix[top : top + width, left : left + width]
                block[:] = solve_upper(diagonal, summed[:width])
            grid.column_comm.Bcast(block, row)
            above = local_count(index * nb, nb, grid.my_row, grid.p)
            y[:above] -= matrix[:above, left : left + width] @ block
    return x
