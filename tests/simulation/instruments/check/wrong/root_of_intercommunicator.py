"""The ranks of one group name different roots in the other."""

# kind: mismatched-root
# ranks: 4

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

half = world.Split(world.rank % 2)
between = half.Create_intercomm(0, world, 1 - world.rank % 2)
buffer = np.zeros(2)
if world.rank % 2 == 0:
    root = MPI.ROOT if world.rank == 0 else MPI.PROC_NULL
    between.Bcast(buffer, root)
else:
    between.Bcast(buffer, world.rank // 2)  # WRONG
between.Free()
half.Free()
