"""MPI_IN_PLACE at one rank only."""

# kind: mismatched-in-place

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(3)
if world.rank == 0:
    world.Allreduce(MPI.IN_PLACE, buffer)  # WRONG
else:
    world.Allreduce(buffer.copy(), buffer)  # WRONG
