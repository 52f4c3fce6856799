"""2-D Jacobi iterations on 32 x 32 points a rank, with a test of convergence in each: jacobi2d.py STEPS."""

import sys

import numpy as np
from mpi4py import MPI

n = 32
world = MPI.COMM_WORLD
grid = world.Create_cart(MPI.Compute_dims(world.size, 2), periods=[False, False], reorder=True)
old = np.zeros((n + 2, n + 2))
new = old.copy()
if grid.Get_coords(grid.rank)[0] == 0:
    old[0, :] = new[0, :] = 1.0
up, down = grid.Shift(0, 1)
left, right = grid.Shift(1, 1)
column = MPI.DOUBLE.Create_vector(n, 1, n + 2).Commit()
largest = np.zeros(())
for _ in range(int(sys.argv[1])):
    points = old.reshape(-1)
    requests = [
        grid.Irecv(old[0, 1:-1], source=up, tag=0),
        grid.Irecv(old[-1, 1:-1], source=down, tag=1),
        grid.Irecv([points[n + 2 :], 1, column], source=left, tag=2),
        grid.Irecv([points[n + 2 + n + 1 :], 1, column], source=right, tag=3),
        grid.Isend(old[1, 1:-1].copy(), dest=up, tag=1),
        grid.Isend(old[-2, 1:-1].copy(), dest=down, tag=0),
        grid.Isend([points[n + 2 + 1 :], 1, column], dest=left, tag=3),
        grid.Isend([points[n + 2 + n :], 1, column], dest=right, tag=2),
    ]
    MPI.Request.Waitall(requests)
    new[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    change = np.array(np.abs(new - old).max())
    grid.Allreduce(change, largest, op=MPI.MAX)
    old, new = new, old
column.Free()
