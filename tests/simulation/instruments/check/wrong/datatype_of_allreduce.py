"""Integers and numbers of floating point are summed."""

# kind: mismatched-datatype

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.zeros(3, "i4" if world.rank == 0 else "f4")
world.Allreduce(MPI.IN_PLACE, buffer)  # WRONG
