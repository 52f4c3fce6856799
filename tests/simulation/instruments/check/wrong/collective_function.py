"""Rank 0 is at a barrier, rank 1 in a reduction."""

# kind: mismatched-collective

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Barrier()  # WRONG
else:
    world.Allreduce(MPI.IN_PLACE, np.ones(1))  # WRONG
