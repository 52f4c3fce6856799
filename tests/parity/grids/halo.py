"""Twin of halo.c for mpi4py."""

import sys

import numpy as np
from mpi4py import MPI

dimensions, size, steps = map(int, sys.argv[1:4])
extents = MPI.Compute_dims(MPI.COMM_WORLD.size, dimensions)
grid = MPI.COMM_WORLD.Create_cart(extents, [True] * dimensions)
sent, received = np.zeros(size, "i1"), np.zeros(size, "i1")
begin = MPI.Wtime()
for _ in range(steps):
    for i in range(dimensions):
        before, after = grid.Shift(i, 1)
        grid.Sendrecv(sent, after, 7, received, before, 7)
        grid.Sendrecv(sent, before, 8, received, after, 8)
print("R", grid.rank, f"{MPI.Wtime() - begin:.12g}")
