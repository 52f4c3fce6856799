"""Persistent requests whose buffers change between their uses."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

sent, received, total = np.zeros(3), np.zeros(3), np.zeros(3)
requests = [world.Send_init(sent, right), world.Recv_init(received, left)]
reduction = world.Allreduce_init(received, total)
for step in range(4):
    sent[:] = step
    MPI.Prequest.Startall(requests)
    MPI.Request.Waitall(requests)
    reduction.Start()
    reduction.Wait()
    assert total[0] == step * size
    received[:] = -1
for request in (*requests, reduction):
    request.Free()
