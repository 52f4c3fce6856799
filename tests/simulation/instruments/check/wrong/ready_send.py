"""A ready send starts before its receive is posted."""

# kind: ready-send-without-receive

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Rsend(np.ones(4), 1)  # WRONG
    world.Barrier()
else:
    world.Barrier()
    world.Recv(np.ones(4), 0)
