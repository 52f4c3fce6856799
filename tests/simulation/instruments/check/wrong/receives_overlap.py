"""Two receives into one buffer."""

# kind: overlapping-buffers

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(4)
if world.rank == 0:
    first = world.Irecv(buffer[:3], 1, 1)  # WRONG
    second = world.Irecv(buffer[2:], 1, 2)  # WRONG
    MPI.Request.Waitall([first, second])
else:
    world.Send(buffer[:3], 0, 1)
    world.Send(buffer[2:], 0, 2)
