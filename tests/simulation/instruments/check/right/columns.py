"""The columns and the halo of one matrix are received at once, without overlap."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

matrix = np.zeros((50, 8))
column = MPI.DOUBLE.Create_vector(50, 1, 8).Commit()
flat = matrix.reshape(-1)
requests = [world.Irecv([flat[i:], 1, column], left, i) for i in range(8)]
requests += [world.Isend([np.ones(50), MPI.DOUBLE], right, i) for i in range(8)]
MPI.Request.Waitall(requests)
block = MPI.DOUBLE.Create_subarray([50, 8], [10, 3], [5, 2]).Commit()
other = MPI.DOUBLE.Create_subarray([50, 8], [10, 3], [5, 5]).Commit()
requests = [world.Irecv([matrix, 1, kind], left, 9) for kind in (block, other)]
requests += [world.Isend(np.ones(30), right, 9) for _ in range(2)]
MPI.Request.Waitall(requests)
for datatype in (column, block, other):
    datatype.Free()
