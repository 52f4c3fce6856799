"""A small message is changed before the wait."""

# kind: modified-send-buffer

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(4)
if world.rank == 0:
    request = world.Isend(buffer, 1)  # WRONG
    buffer[2] = 5
    request.Wait()  # WRONG
else:
    world.Recv(buffer, 0)
