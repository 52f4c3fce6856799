"""A panel: NB columns of the matrix, factored by one process column and broadcast to all.

What travels is one piece of memory, as in HPL: L2 (the rows of L below the diagonal block), L1 (the diagonal block: L
below and U on and above its diagonal), the pivots, and whether a pivot was zero.
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt
from distribution import local_count
from grid import Grid
from variant import Variant

Vector = npt.NDArray[np.float64]


class Panel:
    """Panel number `index`: where it lies, as the calling process sees it, and its contents."""

    def __init__(self, grid: Grid, variant: Variant, index: int, local: tuple[int, int], storage: Vector) -> None:
        """`local` is the shape of the local matrix; `storage` holds the contents (see `storage_needed`)."""
        n, nb = variant.n, variant.nb
        self.first = index * nb  # global index of the first column, and of the first row
        self.width = min(nb, n - self.first)
        self.nb = nb
        self.current_row = index % grid.p  # process row that holds the diagonal block
        self.current_column = index % grid.q  # process column that holds the panel
        self.top = local_count(self.first, nb, grid.my_row, grid.p)  # first local row of the trailing matrix
        self.below = local_count(self.first + self.width, nb, grid.my_row, grid.p)  # first local row of L2
        self.rows = local[0] - self.below  # local rows of L2
        self.right = local_count(self.first + self.width, nb, grid.my_column, grid.q)  # first local trailing column
        self.columns = local[1] - self.right  # local trailing columns
        self.contents = storage[: self.rows * self.width + self.width**2 + self.width + 1]

    @cached_property
    def l2(self) -> Vector:
        """The local rows of L below the diagonal block."""
        return self.contents[: self.rows * self.width].reshape((self.rows, self.width), order="F")

    @cached_property
    def l1(self) -> Vector:
        """The diagonal block, factored; every process of the grid gets it."""
        start = self.rows * self.width
        return self.contents[start : start + self.width**2].reshape((self.width, self.width), order="F")

    @cached_property
    def pivots(self) -> Vector:
        """Global row exchanged with row first + j, for each column j."""
        return self.contents[-self.width - 1 : -1]

    @cached_property
    def info(self) -> Vector:
        """One number: 1 + the global column of the first zero pivot, 0 when there was none."""
        return self.contents[-1:]


def storage_needed(local_rows: int, nb: int) -> int:
    """Doubles that hold any panel of a matrix with so many local rows."""
    return local_rows * nb + nb * nb + nb + 1
