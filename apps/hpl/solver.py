"""Solution of A·x = b (HPL_pdgesv): right-looking LU with partial pivoting and look-ahead, then back substitution."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from arithmetic import multiply_subtract, solve_lower
from backsolve import back_substitute
from broadcast import Broadcast
from distribution import local_count
from factorisation import Factorisation
from grid import Grid
from panel import Panel
from swap import Swap
from variant import Variant

Matrix = npt.NDArray[np.float64]


class SingularMatrixError(Exception):
    """Error for a pivot that is exactly zero."""


def solve(grid: Grid, variant: Variant, matrix: Matrix) -> npt.NDArray[np.float64]:
    """Overwrite the local part of [A b] with its factors, and return the local part of x (replicated by column).

    Raises:
        SingularMatrixError: if a pivot is zero; all processes raise it.
    """
    solver = _Solver(grid, variant, matrix)
    if variant.depth == 0 or grid.q == 1:
        solver.without_look_ahead()
    else:
        solver.with_look_ahead()
    if solver.singular:
        raise SingularMatrixError(f"the pivot of column {solver.singular - 1} is zero")
    return back_substitute(grid, variant.n, variant.nb, matrix)


class _Solver:
    """One process's part in the factorisation."""

    def __init__(self, grid: Grid, variant: Variant, matrix: Matrix) -> None:
        self.grid, self.variant, self.matrix = grid, variant, matrix
        self.panels = -(-variant.n // variant.nb)
        self.broadcast = Broadcast(grid.row_comm, variant)
        self.singular = 0  # 1 + the first column whose pivot is zero

    def without_look_ahead(self) -> None:
        """Factor, broadcast and update one after the other (HPL_pdgesv0)."""
        for index in range(self.panels):
            panel = Panel(self.grid, self.variant, index)
            self._factor(panel)
            self._broadcast(panel)
            self._update(panel, panel.stop - panel.next)

    def with_look_ahead(self) -> None:
        """Factor the next panel before the rest is updated, and broadcast it meanwhile (HPL_pdgesvK2)."""
        grid, nb = self.grid, self.variant.nb
        ahead = [Panel(grid, self.variant, index) for index in range(min(self.variant.depth, self.panels))]
        for panel in ahead:
            self._factor(panel)
            self._broadcast(panel)
            if panel is not ahead[-1]:  # until the last of the first panels
                stop = local_count(ahead[-1].first + ahead[-1].width, nb, grid.my_column, grid.q)
                self._update(panel, stop - panel.next)
        for index in range(len(ahead), self.panels):
            panel = Panel(grid, self.variant, index)
            if panel.on_root:
                for earlier in ahead:
                    self._update(earlier, panel.width)
                self._factor(panel)
            self.broadcast.start(panel.root, panel.contents)
            self._update(ahead[0], ahead[0].stop - ahead[0].next, self.broadcast.look)
            self._take_note(panel)
            ahead = [*ahead[1:], panel]
        for panel in ahead:
            self._update(panel, panel.stop - panel.next)

    def _factor(self, panel: Panel) -> None:
        if panel.on_root:
            columns = self.matrix[:, panel.next - panel.width : panel.next]
            Factorisation(self.grid, panel, columns, self.variant).run()

    def _broadcast(self, panel: Panel) -> None:
        self.broadcast.start(panel.root, panel.contents)
        self.broadcast.finish()
        self._take_note(panel)

    def _take_note(self, panel: Panel) -> None:
        if not self.singular:
            self.singular = int(panel.info[0])

    def _update(self, panel: Panel, columns: int, look: Callable[[], bool] | None = None) -> None:
        """Apply a panel to the next `columns` local columns (HPL_pdupdate).

        With `look`, another panel is being broadcast, and the process looks for it from time to time until it has
        arrived.
        """
        found = look is None

        def look_once() -> None:
            nonlocal found
            found = found or (look is not None and look())

        if columns > 0:
            look_once()
            start, stop = panel.next, panel.next + columns
            panel.next = stop
            u = Swap(self.grid, self.variant, panel, self.matrix[:, start:stop], look_once).run()
            done = 0
            while done < columns:
                part = slice(done, columns if found else min(done + self.variant.nb, columns))
                done = part.stop
                solve_lower(panel.l1, u[:, part])
                target = self.matrix[:, start + part.start : start + part.stop]
                if panel.on_current_row:
                    target[panel.top : panel.below] = u[:, part]
                multiply_subtract(target[panel.below :], panel.l2, u[:, part])
                look_once()
        while not found:
            look_once()
