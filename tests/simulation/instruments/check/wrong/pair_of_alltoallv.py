"""Two pairs of ranks differ: 0 sends 3 too much, and 2 sends 1 too much."""

# kind: mismatched-count
# ranks: 4

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size

expected = [2] * size
if rank == 3:
    expected[0] = 1
if rank == 1:
    expected[2] = 1
kind = MPI.DOUBLE
places = [2 * i for i in range(size)]
world.Alltoallv([np.ones(2 * size), [2] * size, places, kind], [np.ones(2 * size), expected, places, kind])  # WRONG
