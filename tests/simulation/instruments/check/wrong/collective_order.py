"""Ranks call two collectives in different order."""

# kind: mismatched-collective

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Bcast(np.ones(1), 0)  # WRONG
    world.Barrier()
else:
    world.Barrier()  # WRONG
    world.Bcast(np.ones(1), 0)
