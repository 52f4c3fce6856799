"""Each rank sends itself more than it receives from itself."""

# kind: mismatched-count

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size

sent = [2 if i == rank else 1 for i in range(size)]
places, kinds = [16 * i for i in range(size)], [MPI.DOUBLE] * size
world.Alltoallw([np.ones(2 * size), sent, places, kinds], [np.ones(2 * size), [1] * size, places, kinds])  # WRONG
