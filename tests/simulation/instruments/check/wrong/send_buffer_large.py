"""A message too long for buffers is overwritten by the next step."""

# kind: modified-send-buffer

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(200_000)
if world.rank == 0:
    request = world.Isend(buffer, 1)  # WRONG
    buffer += 1
    request.Wait()  # WRONG
else:
    world.Recv(buffer, 0)
