"""The root expects more than one rank sends."""

# kind: mismatched-count
# ranks: 3

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Gatherv(np.ones(1), [np.zeros(6), [1, 3, 2]], 0)  # WRONG
elif world.rank == 1:
    world.Gatherv(np.ones(2), None, 0)  # WRONG
else:
    world.Gatherv(np.ones(2), None, 0)
