"""The send buffer of a nonblocking reduction is changed before the wait."""

# kind: modified-send-buffer

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer, total = np.ones(4), np.zeros(4)
request = world.Iallreduce(buffer, total)  # WRONG
if world.rank == 1:
    buffer[0] = 3
request.Wait()  # WRONG
