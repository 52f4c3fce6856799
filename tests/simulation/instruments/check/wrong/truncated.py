"""A message is longer than its receive buffer."""

# kind: truncated-message

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Send(np.ones(5), 1)  # WRONG
else:
    world.Recv(np.ones(4), 0)  # WRONG
