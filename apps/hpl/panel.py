"""Panel: NB columns of the matrix, factored by one process column and broadcast to all.

As in HPL, the message is one piece of memory: L2 (the rows of L below the diagonal block), L1 (the diagonal block with
L below and U on and above its diagonal), the pivots, and whether a pivot was zero.
"""

import numpy as np
import numpy.typing as npt
from distribution import local_count
from grid import Grid
from variant import Variant

Vector = npt.NDArray[np.float64]


class Panel:
    """Panel number `index`: its place as seen by the calling process, and its contents."""

    def __init__(self, grid: Grid, variant: Variant, index: int) -> None:
        n, nb, p, q = variant.n, variant.nb, grid.p, grid.q
        self.first = index * nb  # global index of the first column, and of the first row
        self.width = min(nb, n - self.first)
        self.nb = nb
        self.current_row = index % p  # process row that holds the diagonal block
        self.root = index % q  # process column that holds the panel
        self.on_current_row, self.on_root = grid.my_row == self.current_row, grid.my_column == self.root
        self.top = local_count(self.first, nb, grid.my_row, p)  # first local row of the trailing matrix
        self.below = local_count(self.first + self.width, nb, grid.my_row, p)  # first local row of L2
        rows = local_count(n, nb, grid.my_row, p) - self.below
        # Index of the first local column to which the panel has not yet been applied.
        self.next = local_count(self.first + self.width, nb, grid.my_column, q)
        self.stop = local_count(n + 1, nb, grid.my_column, q)

        diagonal = rows * self.width + self.width**2
        self.contents: Vector = np.empty(diagonal + self.width + 1)
        self.l2 = self.contents[: rows * self.width].reshape((rows, self.width), order="F")
        self.l1 = self.contents[rows * self.width : diagonal].reshape(
            (self.width, self.width), order="C" if variant.l1_transposed else "F"
        )
        self.pivots = self.contents[diagonal:-1]  # global row exchanged with row first + j, for each column j
        self.info = self.contents[-1:]  # 1 + the global column of the first zero pivot, 0 when there is none
