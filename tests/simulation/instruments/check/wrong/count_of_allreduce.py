"""Vectors of different lengths are summed."""

# kind: mismatched-count
# ranks: 3

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(3 if world.rank < 2 else 2)
world.Allreduce(MPI.IN_PLACE, buffer)  # WRONG
