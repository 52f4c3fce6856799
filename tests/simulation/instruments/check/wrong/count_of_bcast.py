"""The root broadcasts more than one of the others receives."""

# kind: mismatched-count

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

world.Bcast(np.ones(4 - world.rank), 0)  # WRONG
