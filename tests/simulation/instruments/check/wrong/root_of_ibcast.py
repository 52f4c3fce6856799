"""A nonblocking broadcast from two roots."""

# kind: mismatched-root
# ranks: 3

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

root = 0 if world.rank == 0 else 1
world.Ibcast(np.ones(1), root).Wait()  # WRONG
