"""Panel factorisation: LU of a tall panel with partial pivoting, by the process column that holds it (HPL_pdfact).

The recursion (recursion.py) ends at NBMIN columns. These are factored one after the other in this module: left-looking,
right-looking or in Crout's way (PFACT: HPL_pdpanll, HPL_pdpanrl and HPL_pdpancr). The diagonal block L1 is replicated:
each process of the column stores its rows as soon as they have been chosen as pivots.
"""

import numpy as np
import numpy.typing as npt
from arithmetic import multiply_subtract, solve_lower
from grid import Grid
from panel import Panel
from pivot import GLOBAL_ROW, HEADER, LOCAL_ROW, PROCESS_ROW, VALUE, PivotExchange
from recursion import Kind, steps
from variant import CROUT, LEFT, RIGHT, Variant

Matrix = npt.NDArray[np.float64]


class Factorisation:
    """Factorisation of one panel, on a process of the column that holds it."""

    def __init__(self, grid: Grid, panel: Panel, columns: Matrix, variant: Variant) -> None:
        """Prepare the factorisation; `columns` are the panel's columns of the local matrix with all local rows."""
        self.grid, self.panel, self.columns, self.variant = grid, panel, columns, variant
        self.exchange = PivotExchange(grid.column_comm, panel.current_row, panel.width)

    def run(self) -> None:
        """Factor the panel, and make its contents ready to be broadcast."""
        panel, l1 = self.panel, self.panel.l1
        panel.info[0] = 0.0
        for kind, columns, left, rows in steps(self.variant, 0, panel.width):
            if kind is Kind.COLUMNS:
                self._factor_columns(columns.start, columns.stop)
            elif kind is Kind.SOLVE:
                solve_lower(l1[left, left], l1[left, columns])
            elif kind is Kind.UPDATE_TOP:
                multiply_subtract(l1[rows, columns], l1[rows, left], l1[left, columns])
            else:
                below = self.columns[self._top(columns.start) :]
                multiply_subtract(below[:, columns], below[:, left], l1[left, columns])
        panel.l2[:] = self.columns[panel.below :]
        if panel.on_current_row:
            self.columns[panel.top : panel.below] = l1

    def _top(self, column: int) -> int:
        """Return the first local row that is not yet a pivot when this column of the panel is reached."""
        return self.panel.top + column if self.panel.on_current_row else self.panel.top

    def _factor_columns(self, start: int, stop: int) -> None:
        """Factor the innermost columns, which are up to date with all columns to the left of `start`."""
        l1, pfact = self.panel.l1, self.variant.pfact
        for column in range(start, stop):
            below = self.columns[self._top(column) :]
            if pfact == LEFT:
                for j in range(start, column):
                    l1[j + 1 : column, column] -= l1[j + 1 : column, j] * l1[j, column]
            if pfact != RIGHT:
                below[:, column] -= below[:, start:column] @ l1[start:column, column]
            self._propose(column)
            self.exchange.run()
            self._take_pivot(column)
            right = slice(column + 1, stop)
            if pfact == CROUT:
                l1[column, right] -= l1[column, start:column] @ l1[start:column, right]
            elif pfact == RIGHT:
                below = self.columns[self._top(column + 1) :]
                below[:, right] -= np.outer(below[:, column], l1[column, right])

    def _propose(self, column: int) -> None:
        """Put this process's candidate and, on the current row, the row to be exchanged into the work array."""
        exchange, top = self.exchange, self._top(column)
        exchange.work[:HEADER] = 0.0, -1.0, self.grid.p, -1.0  # no rows left; loses against any other candidate
        exchange.candidate_row[:] = 0.0
        if top < len(self.columns):
            best = top + int(np.argmax(np.abs(self.columns[top:, column])))
            exchange.work[VALUE] = self.columns[best, column]
            exchange.work[GLOBAL_ROW] = self._global_row(best)
            exchange.work[PROCESS_ROW] = self.grid.my_row
            exchange.work[LOCAL_ROW] = best
            exchange.candidate_row[:] = self.columns[best]
        if self.panel.on_current_row:
            exchange.current_row[:] = self.columns[top]

    def _global_row(self, local: int) -> int:
        nb = self.panel.nb
        return (local // nb * self.grid.p + self.grid.my_row) * nb + local % nb

    def _take_pivot(self, column: int) -> None:
        """Exchange the rows that this process holds, and divide the column by its pivot."""
        panel, work = self.panel, self.exchange.work
        panel.pivots[column] = work[GLOBAL_ROW]
        panel.l1[column] = self.exchange.candidate_row
        if work[PROCESS_ROW] == self.grid.my_row:
            self.columns[int(work[LOCAL_ROW])] = self.exchange.current_row
        pivot = work[VALUE]
        if pivot != 0.0:
            self.columns[self._top(column + 1) :, column] /= pivot
        elif panel.info[0] == 0.0:
            panel.info[0] = panel.first + column + 1
