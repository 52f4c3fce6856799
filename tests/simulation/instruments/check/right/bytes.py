"""Bytes on one side, items on the other, of the same length, on machines of one kind."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

numbers = np.arange(4.0)
box = bytearray(32)
world.Sendrecv(numbers, right, recvbuf=box, source=left)
world.Sendrecv(box, right, recvbuf=numbers, source=left)
world.Bcast(box if rank else numbers, 0)
packed = bytearray(100)
end = MPI.DOUBLE.Pack(numbers, packed, 0, world)
world.Sendrecv([packed, end, MPI.PACKED], right, recvbuf=numbers, source=left)
