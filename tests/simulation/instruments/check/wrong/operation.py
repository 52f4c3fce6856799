"""One rank computes a sum, the others a maximum."""

# kind: mismatched-operation

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

operation = MPI.SUM if world.rank == 0 else MPI.MAX
world.Allreduce(MPI.IN_PLACE, np.ones(1), operation)  # WRONG
