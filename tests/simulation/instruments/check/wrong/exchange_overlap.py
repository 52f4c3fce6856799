"""An exchange in one buffer, which MPI_Sendrecv_replace is for."""

# kind: overlapping-buffers

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

buffer = np.ones(8)
world.Sendrecv(buffer[:5], 1 - world.rank, recvbuf=buffer[3:], source=1 - world.rank)  # WRONG
