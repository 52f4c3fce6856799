"""The total length is equal, but ranks divide it differently."""

# kind: mismatched-count

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

counts = [1, 2] if world.rank == 0 else [2, 1]
world.Reduce_scatter(np.ones(3), np.ones(counts[world.rank]), counts)  # WRONG
