"""Two nonblocking collectives that are not the same."""

# kind: mismatched-collective

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(1)
if world.rank == 0:
    world.Ibcast(buffer, 0).Wait()  # WRONG
else:
    world.Iallreduce(MPI.IN_PLACE, buffer).Wait()  # WRONG
