"""Rank 1 receives as another datatype than rank 0 sends."""

# kind: mismatched-datatype

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

same, other = [MPI.FLOAT, MPI.FLOAT], [MPI.INT, MPI.FLOAT]
sent, received = np.ones(2, "f4"), np.ones(2, "f4")
if world.rank == 0:
    world.Alltoallw([sent, [1, 1], [0, 4], same], [received, [1, 1], [0, 4], same])  # WRONG
else:
    world.Alltoallw([sent, [1, 1], [0, 4], same], [received, [1, 1], [0, 4], other])  # WRONG
