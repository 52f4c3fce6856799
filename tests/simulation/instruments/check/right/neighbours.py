"""Neighbourhood collectives on a grid, a ring and a graph of unequal ranks."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

grid = world.Create_cart([2, 2], periods=[True, False])
grid.Neighbor_allgather(np.ones(2), np.zeros((4, 2)))
grid.Neighbor_alltoall(np.ones((4, 2)), np.zeros((4, 2)))
star = world.Create_dist_graph(
    [0] if rank == 0 else [], [size - 1] if rank == 0 else [], [*range(1, size)] if rank == 0 else []
)
sources, destinations, _ = star.Get_dist_neighbors_count()
star.Neighbor_alltoallv([np.ones(6), [1 + i for i in range(destinations)]], [np.ones(6), [rank] * sources])
star.Ineighbor_allgather(np.ones(1), np.ones(max(sources, 1))).Wait()
star.Free()
grid.Free()
