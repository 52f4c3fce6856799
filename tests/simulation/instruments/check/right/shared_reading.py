"""One buffer is sent to everybody at once, and summed meanwhile."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

buffer, total = np.ones(2000), np.zeros(2000)
inboxes = np.zeros((size, 2000))
requests = [world.Irecv(inboxes[other], other) for other in range(size)]
requests += [world.Isend(buffer, other) for other in range(size)]
world.Allreduce(buffer, total)
other_total = np.zeros(2000)  # mpi4py's Iallreduce does not keep it
requests.append(world.Iallreduce(buffer, other_total))
MPI.Request.Waitall(requests)
buffer[:] = 2
