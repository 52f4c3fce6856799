"""Ranks call a blocking and a nonblocking collective in different order."""

# kind: mismatched-collective

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Bcast(np.ones(1), 0)  # WRONG
    duplicate, request = world.Idup()
else:
    duplicate, request = world.Idup()  # WRONG
    world.Bcast(np.ones(1), 0)
request.Wait()
duplicate.Free()
