"""A negative tag."""

# kind: mpi-error

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 1:
    world.Send(np.ones(1), 0, tag=-5)  # WRONG
else:
    world.Recv(np.ones(1), 1)
