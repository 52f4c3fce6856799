"""Messages of unknown lengths, probed in several ways."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

status = MPI.Status()
for _ in range(2):
    world.Send(np.ones(rank + 1), right, 3)
world.Probe(left, 3, status)
world.Recv(np.ones(status.Get_count(MPI.DOUBLE)), left, 3)
message = world.Mprobe(left, 3, status)
message.Irecv(np.ones(status.Get_count(MPI.DOUBLE))).Wait()
pickled = world.isend({"rank": rank}, right)
found = None
while found is None:
    found = world.improbe(left)
assert found.recv() == {"rank": left}
pickled.wait()
