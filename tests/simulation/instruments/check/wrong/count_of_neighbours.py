"""A rank of a ring sends its neighbour to the right less than that receives."""

# kind: mismatched-count
# ranks: 5

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

ring = world.Create_cart([world.size], periods=[True])
if world.rank == 2:
    ring.Neighbor_alltoallv([np.ones(3), [1, 1]], [np.ones(4), [2, 1]])  # WRONG
elif world.rank == 3:
    ring.Neighbor_alltoallv([np.ones(3), [1, 2]], [np.ones(4), [2, 1]])  # WRONG
else:
    ring.Neighbor_alltoallv([np.ones(3), [1, 2]], [np.ones(4), [2, 1]])
ring.Free()
