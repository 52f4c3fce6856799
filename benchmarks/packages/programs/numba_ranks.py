"""Compile a loop with numba in each rank, and reduce its results as buffers."""

import numba
import numpy as np
from mpi4py import MPI


@numba.njit
def count_inside(n: int, seed: int) -> int:
    """Return how many of n points lie in the quarter of a disk."""
    np.random.seed(seed)
    inside = 0
    for _ in range(n):
        if np.random.random() ** 2 + np.random.random() ** 2 < 1:
            inside += 1
    return inside


world = MPI.COMM_WORLD
mine = np.array([count_inside(100_000, world.rank)])
total = np.empty_like(mine)
world.Reduce(mine, total)
if world.rank == 0:
    print(4 * total[0] / (100_000 * world.size))
