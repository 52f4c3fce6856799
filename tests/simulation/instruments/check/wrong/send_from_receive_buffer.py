"""A buffer is sent while something is received into it."""

# kind: overlapping-buffers

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(4)
request = world.Irecv(buffer, 1 - world.rank)  # WRONG
world.Send(buffer, 1 - world.rank)  # WRONG
request.Wait()
