"""Blocks of all lengths, and of other datatypes for each rank."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

sent, received = [rank + other for other in range(size)], [rank + other for other in range(size)]
world.Alltoallv([np.ones(sum(sent)), sent], [np.ones(sum(received)), received])
world.Ialltoallv([np.ones(sum(sent)), sent], [np.ones(sum(received)), received]).Wait()
kinds = [MPI.INT, MPI.FLOAT]
out = [kinds[(rank + other) % 2] for other in range(size)]
places = [4 * other for other in range(size)]
world.Alltoallw([np.ones(size, "i4"), [1] * size, places, out], [np.ones(size, "i4"), [1] * size, places, out])
world.Allgatherv(np.ones(rank), [np.ones(6), [*range(size)]])
world.Scatterv([np.ones(6), [*range(size)]] if rank == 2 else None, np.ones(rank), 2)
world.Reduce_scatter(np.ones(6), np.ones(rank), [*range(size)])
