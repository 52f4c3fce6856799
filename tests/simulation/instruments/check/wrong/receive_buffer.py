"""A buffer is filled after its receive has begun."""

# kind: modified-receive-buffer

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(4)
if world.rank == 0:
    request = world.Irecv(buffer, 1)  # WRONG
    buffer[:] = 0
    world.Barrier()
    request.Wait()
else:
    world.Barrier()
    world.Send(buffer, 0)
