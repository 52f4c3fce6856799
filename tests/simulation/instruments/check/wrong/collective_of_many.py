"""One rank of five has left the loop early."""

# kind: mismatched-collective
# ranks: 5

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

for step in range(3):
    if world.rank == 3 and step == 2:
        break
    world.Allreduce(MPI.IN_PLACE, np.ones(1))  # WRONG
world.Barrier()  # WRONG
