"""Panel factorisation: LU of a tall panel with partial pivoting, by the process column that holds it.

Left-looking and recursive (RFACT=L, PFACT=L of HPL.dat): a panel is cut into NDIV parts down to NBMIN columns; a part
is first updated with everything to its left, then factored. The diagonal block L1 is replicated: each process of the
column holds its rows as soon as they have been chosen as pivots.
"""

from math import ceil

import numpy as np
from arithmetic import Arithmetic, Matrix
from grid import Grid
from panel import Panel
from pivot import GLOBAL_ROW, HEADER, LOCAL_ROW, PROCESS_ROW, VALUE, PivotExchange
from variant import Variant


class Factorisation:
    """The factorisation of one panel, on a process of the column that holds it."""

    def __init__(self, grid: Grid, panel: Panel, columns: Matrix, arithmetic: Arithmetic, variant: Variant) -> None:
        """`columns` are the panel's columns of the local matrix, all local rows."""
        self.panel, self.columns, self.arithmetic = panel, columns, arithmetic
        self.grid = grid
        self.nbmin, self.ndiv = variant.nbmin, variant.ndiv
        self.on_current_row = grid.my_row == panel.current_row
        work = arithmetic.empty(HEADER + 2 * panel.width, 2)
        self.exchange = PivotExchange(grid.column_comm, panel.current_row, panel.width, work[:, 0], work[:, 1])

    def run(self) -> None:
        """Factor the panel, and leave its contents ready to be broadcast."""
        panel = self.panel
        if self.arithmetic.exact:
            panel.info[0] = 0.0
        self._factor(0, panel.width)
        if self.arithmetic.exact:
            panel.l2[:] = self.columns[panel.below :]
            if self.on_current_row:
                self.columns[panel.top : panel.below] = panel.l1

    def _top(self, column: int) -> int:
        """First local row that is not yet a pivot when this column of the panel is reached."""
        return self.panel.top + column if self.on_current_row else self.panel.top

    def _factor(self, start: int, width: int) -> None:
        """Factor `width` columns from `start`, which are up to date with all that is to their left."""
        if width <= self.nbmin:
            self._factor_columns(start, width)
            return
        part = ceil(ceil(width / self.nbmin) / self.ndiv) * self.nbmin
        l1 = self.panel.l1
        for column in range(start, start + width, part):
            columns = slice(column, min(column + part, start + width))
            if column > start:
                left = slice(start, column)
                self.arithmetic.solve_lower(l1[left, left], l1[left, columns])
                rows = slice(self._top(column), None)
                self.arithmetic.multiply_subtract(
                    self.columns[rows, columns], self.columns[rows, left], l1[left, columns]
                )
            self._factor(column, columns.stop - column)

    def _factor_columns(self, start: int, width: int) -> None:
        """The innermost columns, one after the other; in a simulation only the pivot exchanges take time."""
        exact = self.arithmetic.exact
        for column in range(start, start + width):
            if exact:
                self._update_column(start, column)
                self._propose(column)
            self.exchange.run(exact)
            if exact:
                self._take_pivot(column)

    def _update_column(self, start: int, column: int) -> None:
        """Bring one column up to date with those from `start` to its left."""
        l1 = self.panel.l1
        for j in range(start, column):
            l1[j + 1 : column, column] -= l1[j + 1 : column, j] * l1[j, column]
        top = self._top(column)
        self.columns[top:, column] -= self.columns[top:, start:column] @ l1[start:column, column]

    def _propose(self, column: int) -> None:
        """Put this process's candidate and, on the current row, the row to be exchanged into the work array."""
        exchange, top = self.exchange, self._top(column)
        exchange.work[:HEADER] = 0.0, -1.0, self.grid.p, -1.0  # no rows left here: loses against any other
        if top < len(self.columns):
            best = top + int(np.argmax(np.abs(self.columns[top:, column])))
            exchange.work[VALUE] = self.columns[best, column]
            exchange.work[GLOBAL_ROW] = self._global_row(best)
            exchange.work[PROCESS_ROW] = self.grid.my_row
            exchange.work[LOCAL_ROW] = best
            exchange.candidate_row[:] = self.columns[best]
        if self.on_current_row:
            exchange.current_row[:] = self.columns[top]

    def _global_row(self, local: int) -> int:
        nb = self.panel.nb
        return (local // nb * self.grid.p + self.grid.my_row) * nb + local % nb

    def _take_pivot(self, column: int) -> None:
        """Exchange the rows, as far as this process holds them, and divide the column by its pivot."""
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
