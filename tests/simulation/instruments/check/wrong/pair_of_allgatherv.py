"""One rank sends more than the others expect, and than it expects itself."""

# kind: mismatched-count
# ranks: 3

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
size = world.size

room = [np.ones(2 * size + 1), [2] * size]
if world.rank == 1:
    world.Allgatherv(np.ones(3), room)  # WRONG
else:
    world.Allgatherv(np.ones(2), room)  # WRONG
