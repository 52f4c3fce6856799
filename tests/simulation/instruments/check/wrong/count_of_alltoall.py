"""Ranks use blocks of different lengths."""

# kind: mismatched-count

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

length = 2 + world.rank
world.Alltoall(np.ones((2, length)), np.ones((2, length)))  # WRONG
