"""Two columns of a matrix overlap, since one is twice as wide as intended."""

# kind: overlapping-buffers

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

matrix = np.ones((6, 4))
narrow = MPI.DOUBLE.Create_vector(6, 1, 4).Commit()
wide = MPI.DOUBLE.Create_vector(6, 2, 4).Commit()
if world.rank == 0:
    first = world.Irecv([matrix, 1, wide], 1, 1)  # WRONG
    second = world.Irecv([matrix.reshape(-1)[1:], 1, narrow], 1, 2)  # WRONG
    MPI.Request.Waitall([first, second])
else:
    world.Send([matrix, 1, wide], 0, 1)
    world.Send([matrix, 1, narrow], 0, 2)
narrow.Free()
wide.Free()
