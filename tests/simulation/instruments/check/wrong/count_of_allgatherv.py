"""The ranks do not agree who sends how much."""

# kind: mismatched-count

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

counts = [2, 1] if world.rank == 0 else [1, 2]
world.Allgatherv(MPI.IN_PLACE, [np.zeros(3), counts])  # WRONG
