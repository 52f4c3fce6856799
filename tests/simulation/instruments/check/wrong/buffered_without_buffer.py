"""A buffered send without an attached buffer."""

# kind: mpi-error

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Bsend(np.ones(4), 1)  # WRONG
world.Barrier()
if world.rank == 1:
    world.Recv(np.ones(4), 0)
