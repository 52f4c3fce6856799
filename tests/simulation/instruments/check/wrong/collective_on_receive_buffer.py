"""A reduction reads a buffer before its receive is complete."""

# kind: overlapping-buffers

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer, total = np.ones(4), np.zeros(4)
request = world.Irecv(buffer, 1 - world.rank)  # WRONG
world.Isend(np.ones(4), 1 - world.rank).Wait()
world.Allreduce(buffer, total)  # WRONG
request.Wait()
