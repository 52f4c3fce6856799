"""A message of integers is received as numbers of floating point."""

# kind: mismatched-datatype

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Send(np.ones(4, "i4"), 1)  # WRONG
else:
    world.Recv(np.ones(4, "f4"), 0)  # WRONG
