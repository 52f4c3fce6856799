"""A master receives from any source."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

jobs = world.Dup()
if rank == 0:
    status = MPI.Status()
    box = np.zeros(8, "i")
    for _ in range(2 * (size - 1)):
        jobs.Recv(box, MPI.ANY_SOURCE, MPI.ANY_TAG, status)
        assert status.Get_count(MPI.INT) == status.Get_tag()
    requests = [world.Irecv(np.zeros(3), MPI.ANY_SOURCE, 50) for _ in range(size - 1)]
    MPI.Request.Waitall(requests)
else:
    for tag in (rank, 8):
        jobs.Send(np.ones(tag, "i"), 0, tag)
    world.Isend(np.ones(3), 0, 50).Wait()
jobs.Free()
