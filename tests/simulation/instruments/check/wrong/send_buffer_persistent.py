"""The send buffer of a persistent request is changed while the request is active."""

# kind: modified-send-buffer

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(4)
if world.rank == 0:
    request = world.Send_init(buffer, 1)
    request.Start()  # WRONG
    buffer[:] = 7
    request.Wait()  # WRONG
    request.Free()
else:
    world.Recv(buffer, 0)
