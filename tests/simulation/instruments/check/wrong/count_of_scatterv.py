"""A rank has room for more than the root sends."""

# kind: mismatched-count

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Scatterv([np.zeros(4), [1, 3]], np.ones(1), 0)  # WRONG
else:
    world.Scatterv(None, np.ones(4), 0)  # WRONG
