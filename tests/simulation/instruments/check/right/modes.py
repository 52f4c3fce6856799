"""Buffered sends with enough buffer space, ready sends to posted receives, synchronous sends."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

MPI.Attach_buffer(bytearray(2 * (80 + MPI.BSEND_OVERHEAD)))
box = np.zeros(10)
for _ in range(3):
    world.Bsend(np.ones(10), right)
    world.Ibsend(np.ones(10), right).Wait()
    world.Recv(box, left)
    world.Recv(box, left)
    world.Barrier()
MPI.Detach_buffer()
for _ in range(2):  # what is in a buffer that is detached takes no room in the next one
    MPI.Attach_buffer(bytearray(80 + MPI.BSEND_OVERHEAD))
    world.Bsend(np.ones(10), right)
    MPI.Detach_buffer()
for _ in range(2):
    world.Recv(box, left)
request = world.Irecv(box, left)
world.Barrier()
world.Rsend(np.ones(10), right)
request.Wait()
request = world.Issend(np.ones(10), right)
world.Recv(box, left)
request.Wait()
