"""Row exchange in the trailing matrix with real data; afterwards all processes of a column have U.

The rounds come from spread.py and exchange.py. U is stored by rows (transposed, so that rows are contiguous) or by
columns, in which case messages are strided (MPI_Type_vector).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from distribution import local_index, owner
from exchange import exchange
from grid import Grid
from mpi4py import MPI
from panel import Panel
from permutation import Exchange, exchange_of
from rounds import Round, length, roll
from spread import equilibrate, sort_by_rows, spread_right
from variant import Variant

SWAPS = 2  # tag

Matrix = npt.NDArray[np.float64]
Look = Callable[[], None]  # looks for a panel that is being broadcast


class Swap:
    """Exchange of rows, caused by a panel's pivots, in some local columns of the trailing matrix."""

    def __init__(self, grid: Grid, variant: Variant, panel: Panel, trailing: Matrix, look: Look) -> None:
        """Prepare the exchange; `trailing` consists of the local columns in which rows are exchanged, with all local
        rows."""
        self.grid, self.variant, self.panel, self.trailing, self.look = grid, variant, panel, trailing, look
        self.moves: Exchange = exchange_of([int(pivot) for pivot in panel.pivots], panel.first)
        homes = [owner(source, variant.nb, grid.p) for source in self.moves.sources]
        # Rows of U by the process row that holds their sources, in order of the sources.
        self.from_row: list[list[int]] = [[] for _ in range(grid.p)]
        for j in sorted(range(panel.width), key=self.moves.sources.__getitem__):
            self.from_row[homes[j]].append(j)
        self.mine = [self._local(j) for j in self.from_row[grid.my_row]]
        shape = panel.width, trailing.shape[1]
        self.u: Matrix = np.empty(shape) if variant.u_transposed else np.empty(shape, order="F")
        self.strided: list[MPI.Datatype] = []  # freed after the exchange

    def run(self) -> Matrix:
        """Exchange the rows, and return U."""
        if self.grid.p > 1 and not self.variant.spreads(self.trailing.shape[1]):
            return self._exchange()
        return self._spread_and_roll()

    def _local(self, j: int) -> int:
        """Return the local index of the row that becomes row j of U."""
        return local_index(self.moves.sources[j], self.variant.nb, self.grid.p)

    def _leave_the_block(self) -> Matrix:
        """Return a copy of the rows that the current process row contributes, in the order of U, after storing the
        block's displaced rows in their new places."""
        panel, current = self.panel, self.panel.current_row
        block = self.trailing[panel.top : panel.below].copy()
        own = set(self.from_row[current])
        filled = np.empty_like(self.u)
        for j, source in enumerate(self.moves.sources):
            filled[j] = self.trailing[self._local(j)] if j in own else block[self.moves.displaced[source]]
        for row, place in self.moves.displaced.items():
            if owner(row, self.variant.nb, self.grid.p) == current:
                self.trailing[local_index(row, self.variant.nb, self.grid.p)] = block[place]
        return filled

    def _spread_and_roll(self) -> Matrix:
        """Run HPL_pdlaswp01: U is exchanged in pieces by position, and finally sorted by row."""
        grid, u = self.grid, self.u
        bounds, process = sort_by_rows([len(rows) for rows in self.from_row], self.panel.current_row)
        order = [j for row in process for j in self.from_row[row]]
        me = process.index(grid.my_row)
        if self.panel.on_current_row:
            u[:] = self._leave_the_block()[order]
        self._carry_out(spread_right(bounds, me), process)
        if not self.panel.on_current_row:
            piece = slice(bounds[me], bounds[me + 1])
            u[piece], self.trailing[self.mine] = self.trailing[self.mine], u[piece].copy()
        if self.variant.equilibration:
            evening, bounds = equilibrate(bounds, me)
            self._carry_out(evening, process)
        self._carry_out(roll(bounds, me), process)
        for datatype in self.strided:
            datatype.Free()
        u[order] = u.copy()
        return u

    def _carry_out(self, rounds: Sequence[Round | None], process: list[int]) -> None:
        comm = self.grid.column_comm
        for each in rounds:
            if each is not None:
                request = MPI.REQUEST_NULL
                if each.receive is not None and length(each.receive):
                    request = comm.Irecv(self._message(each.receive), process[each.partner], SWAPS)
                if each.send is not None and length(each.send):
                    comm.Send(self._message(each.send), process[each.partner], SWAPS)
                request.Wait()
            self.look()

    def _message(self, rows: slice) -> Any:
        """Return a message with the given rows of U, in mpi4py's form."""
        if self.variant.u_transposed:
            return self.u[rows]
        width, columns = self.u.shape
        strided = MPI.DOUBLE.Create_vector(columns, length(rows), width).Commit()
        memory = self.u.reshape(-1, order="F")[rows.start :]
        self.strided.append(strided)
        return [memory, 1, strided]

    def _exchange(self) -> Matrix:
        """Run HPL_pdlaswp00: a message contains all of U, or packed rows, each after its place in U."""
        grid, panel, u = self.grid, self.panel, self.u
        current, comm = panel.current_row, self.grid.column_comm
        me = (grid.my_row - current) % grid.p
        packed = [0, *(len(self.from_row[(current + distance) % grid.p]) for distance in range(1, grid.p))]
        rows: Matrix = np.empty((sum(packed), 1 + self.trailing.shape[1]))
        if panel.on_current_row:
            u[:] = self._leave_the_block()
        else:
            rows[: packed[me], 0] = self.from_row[grid.my_row]
            rows[: packed[me], 1:] = self.trailing[self.mine]
        has_u = panel.on_current_row
        collected = packed[me]
        for stage in exchange(grid.p, me, packed):
            for each in stage:
                partner = (each.partner + current) % grid.p
                requests = []
                if each.receives_u:
                    requests.append(comm.Irecv(u, partner, SWAPS))
                if length(each.receive):
                    requests.append(comm.Irecv(rows[each.receive], partner, SWAPS))
                if each.sends_u:
                    comm.Send(u, partner, SWAPS)
                if length(each.send):
                    comm.Send(rows[each.send], partner, SWAPS)
                MPI.Request.Waitall(requests)
                new = slice(0, 0)
                if each.receive is not None:
                    new = each.receive
                    collected = each.receive.stop
                if each.receives_u and not has_u:
                    has_u = True
                    self.trailing[self.mine] = u[self.from_row[grid.my_row]]
                    new = slice(0, collected)
                if has_u:
                    u[rows[new, 0].astype(int)] = rows[new, 1:]
            self.look()
        return u
