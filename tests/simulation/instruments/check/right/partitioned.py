"""Partitions that are ready one after the other."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

sent, received = np.arange(12.0), np.zeros(12)
requests = [world.Psend_init(sent, 4, right), world.Precv_init(received, 3, left, 0)]
for step in range(2):
    MPI.Prequest.Startall(requests)
    for partition in (2, 0, 3, 1):
        sent[3 * partition : 3 * partition + 3] = partition + step
        requests[0].Pready(partition)
    MPI.Request.Waitall(requests)
    assert received[11] == 3 + step
for request in requests:
    request.Free()
