"""A persistent request is started while it is active."""

# kind: mpi-error

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

request = MPI.COMM_SELF.Recv_init(np.ones(1), 0)
if world.rank == 0:
    request.Start()
    request.Start()  # WRONG
