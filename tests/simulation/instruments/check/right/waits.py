"""Requests are completed in every possible way, and buffers are used again afterwards."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

boxes = np.zeros((6, 3))
for step in range(3):
    requests = [world.Irecv(boxes[i], left, i) for i in range(6)]
    for i in range(6):
        world.Send(np.full(3, float(step)), right, i)
    MPI.Request.Waitany(requests)
    MPI.Request.Waitsome(requests)
    while not MPI.Request.Testall(requests):
        pass
    boxes[:] = -1
request = world.Irecv(boxes[0], left, 99)
request.Cancel()
request.Wait()
boxes[0] = 4
request = world.Isend(boxes[1], right, 5)
request.Free()
world.Recv(boxes[0], left, 5)
