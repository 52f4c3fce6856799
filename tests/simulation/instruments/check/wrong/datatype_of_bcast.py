"""Integers are received as numbers of floating point of the same length."""

# kind: mismatched-datatype

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.zeros(3, "i8" if world.rank == 0 else "f8")
world.Bcast(buffer, 0)  # WRONG
