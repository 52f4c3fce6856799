"""A persistent reduction of different lengths."""

# kind: mismatched-count

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

request = world.Allreduce_init(MPI.IN_PLACE, np.ones(2 + world.rank))  # WRONG
request.Start()
request.Wait()
request.Free()
