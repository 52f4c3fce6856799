"""Rank 2 expects more from rank 0 than rank 0 sends."""

# kind: mismatched-count
# ranks: 3

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

received = np.zeros(6)
if world.rank == 0:
    world.Alltoallv([np.ones(3), [1, 1, 1]], [received, [1, 1, 1]])  # WRONG
elif world.rank == 2:
    world.Alltoallv([np.ones(3), [1, 1, 1]], [received, [2, 1, 1]])  # WRONG
else:
    world.Alltoallv([np.ones(3), [1, 1, 1]], [received, [1, 1, 1]])
