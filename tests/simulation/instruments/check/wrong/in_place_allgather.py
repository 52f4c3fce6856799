"""MPI_IN_PLACE at one rank only."""

# kind: mismatched-in-place
# ranks: 3

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(world.size)
if world.rank == 1:
    world.Allgather(MPI.IN_PLACE, buffer)  # WRONG
else:
    world.Allgather(np.ones(1), buffer)  # WRONG
