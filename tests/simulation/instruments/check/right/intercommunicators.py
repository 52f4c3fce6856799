"""Messages and collectives between two groups of different sizes."""

# ranks: 5

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

side = int(rank > 1)
half = world.Split(side)
between = half.Create_intercomm(0, world, 0 if side else 2)
others = between.remote_size
at_root = (MPI.ROOT if half.rank == 1 else MPI.PROC_NULL) if side else 1
between.Bcast(np.ones(3), at_root)
between.Gather(np.ones(2), np.ones((others, 2)) if at_root == MPI.ROOT else None, at_root)
between.Scatter(np.ones((others, 2)) if at_root == MPI.ROOT else None, np.ones(2), at_root)
between.Allreduce(np.ones(3), np.ones(3))
between.Allgather(np.ones(1 + side), np.ones((others, 2 - side)))
between.Alltoall(np.ones((others, 2)), np.ones((others, 2)))
between.Alltoallv([np.ones(others), [1] * others], [np.ones(others), [1] * others])
between.Allgatherv(np.ones(1 + side), [np.ones((2 - side) * others), [2 - side] * others])
between.Reduce(np.ones(1), np.ones(1) if at_root == MPI.ROOT else None, root=at_root)
between.Barrier()
if half.rank < 2:
    between.Sendrecv(np.ones(1), half.rank, recvbuf=np.ones(1), source=half.rank)
merged = between.Merge(side == 1)
merged.Free()
between.Free()
half.Free()
