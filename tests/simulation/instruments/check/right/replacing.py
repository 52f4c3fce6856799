"""Exchanges in place, blocking and not."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

buffer = np.full(40_000, float(rank))
world.Sendrecv_replace(buffer, right, source=left)
request = world.Isendrecv_replace(buffer, right, source=left)
request.Wait()
assert buffer[0] == (rank - 2) % size
request = world.Isendrecv(buffer[:20_000], right, recvbuf=buffer[20_000:], source=left)
request.Wait()
buffer[:] = 0
