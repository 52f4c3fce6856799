"""Collective and independent access to a file."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

mode = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE
file = MPI.File.Open(world, "data.bin", mode)
file.Write_at_all(8 * rank, np.full(1, float(rank)))
file.Set_view(8 * rank, MPI.DOUBLE, MPI.DOUBLE)
box = np.zeros(1)
file.Read_all(box)
assert box[0] == rank
if rank == 0:
    file.Write_at(0, box)
request = file.Iread_at(0, box)
request.Wait()
file.Close()
