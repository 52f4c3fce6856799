"""Each rank names itself as the root."""

# kind: mismatched-root

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Reduce(np.ones(1), np.ones(1), root=0)  # WRONG
else:
    world.Reduce(np.ones(1), np.ones(1), root=1)  # WRONG
