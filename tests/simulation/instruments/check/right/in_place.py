"""MPI_IN_PLACE at all ranks or at the root, as each function requires."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

all_of_them, one = np.ones(size), np.ones(1)
world.Allreduce(MPI.IN_PLACE, one)
world.Reduce(MPI.IN_PLACE if rank == 2 else one, one.copy() if rank == 2 else None, root=2)
world.Gather(MPI.IN_PLACE if rank == 1 else one, all_of_them if rank == 1 else None, 1)
world.Scatter(all_of_them if rank == 1 else None, MPI.IN_PLACE if rank == 1 else one, 1)
world.Gatherv(MPI.IN_PLACE if rank == 0 else one, [all_of_them, [1] * size] if rank == 0 else None, 0)
world.Allgather(MPI.IN_PLACE, all_of_them)
world.Allgatherv(MPI.IN_PLACE, [all_of_them, [1] * size])
world.Alltoall(MPI.IN_PLACE, all_of_them)
world.Alltoallv(MPI.IN_PLACE, [all_of_them, [1] * size])
world.Scan(MPI.IN_PLACE, one)
world.Exscan(MPI.IN_PLACE, one)
world.Reduce_scatter_block(MPI.IN_PLACE, all_of_them)
world.Iallreduce(MPI.IN_PLACE, one).Wait()
