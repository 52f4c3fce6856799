"""A barrier, then a sum of three numbers of each rank."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
world.Barrier()
total = np.empty(3)
world.Allreduce(np.array([1.0, world.rank, 0.5]), total)
assert total[0] == world.size
if world.rank == 0:
    print(f"sum {total.tolist()}: {MPI.Wtime() * 1e6:.3f} us")
