"""Row exchange in the trailing matrix: what HPL_pdlaswp01T does by spread and roll, here with collectives.

The pivots of a panel send NB rows of the trailing matrix to the top, where they form U, and as many rows of the block
row back to where the pivots came from. The block row's owner scatters the latter; everybody gathers all of U.
"""

from itertools import accumulate

import numpy as np
import numpy.typing as npt
from arithmetic import Arithmetic, Matrix
from distribution import local_index, owner
from grid import Grid
from mpi4py import MPI
from panel import Panel
from permutation import exchange_of


def swap_modelled(grid: Grid, panel: Panel, counts: npt.NDArray[np.int64], u: Matrix, room: Matrix) -> None:
    """The messages of the exchange, for given counts of rows by process row; contents do not matter."""
    doubles = (counts * panel.columns).tolist()
    mine = doubles[grid.my_row]
    current = panel.current_row
    out_of_block = doubles.copy()
    out_of_block[current] = 0
    comm = grid.column_comm
    if grid.my_row == current:
        comm.Scatterv([room, out_of_block, None, MPI.DOUBLE], MPI.IN_PLACE, current)
    else:
        comm.Scatterv(None, [room, mine, MPI.DOUBLE], current)
    comm.Allgatherv([room, mine, MPI.DOUBLE], [u, doubles, None, MPI.DOUBLE])


def swap_exact(grid: Grid, panel: Panel, trailing: Matrix, arithmetic: Arithmetic) -> Matrix:
    """Exchange the rows of the local trailing columns and return U (NB rows), the same on the whole process column."""
    nb, p, me, current = panel.nb, grid.p, grid.my_row, panel.current_row
    columns = panel.columns
    exchange = exchange_of([int(pivot) for pivot in panel.pivots], panel.first)
    homes = [owner(source, nb, p) for source in exchange.sources]
    counts = [homes.count(row) for row in range(p)]
    gathered_order = sorted(range(panel.width), key=homes.__getitem__)  # stable: by process row, then by row of U

    mine = [local_index(exchange.sources[j], nb, p) for j in gathered_order if homes[j] == me]
    to_gather = np.ascontiguousarray(trailing[mine])

    targets = sorted(exchange.displaced, key=lambda row: owner(row, nb, p))
    leaving = [row for row in targets if owner(row, nb, p) != current]
    arriving = [local_index(row, nb, p) for row in targets if owner(row, nb, p) == me]
    comm = grid.column_comm
    rows_out = [0 if row == current else counts[row] for row in range(p)]
    if me == current:
        block = trailing[panel.top : panel.below].copy()
        to_scatter = np.ascontiguousarray(block[[exchange.displaced[row] for row in leaving]])
        comm.Scatterv([to_scatter, [rows * columns for rows in rows_out], None, MPI.DOUBLE], MPI.IN_PLACE, current)
        for row in targets:
            if owner(row, nb, p) == me:
                trailing[local_index(row, nb, p)] = block[exchange.displaced[row]]
    else:
        received = np.empty((len(arriving), columns))
        comm.Scatterv(None, received, current)
        trailing[arriving] = received

    gathered = np.empty((panel.width, columns))
    displacements = list(accumulate([rows * columns for rows in counts], initial=0))[:-1]
    comm.Allgatherv(to_gather, [gathered, [rows * columns for rows in counts], displacements, MPI.DOUBLE])
    u = arithmetic.empty(panel.width, columns)
    u[gathered_order] = gathered
    return u
