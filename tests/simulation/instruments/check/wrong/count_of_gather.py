"""The root has room for fewer elements than the others send."""

# kind: mismatched-count

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Gather(MPI.IN_PLACE, np.ones((world.size, 2)), 0)  # WRONG
else:
    world.Gather(np.ones(3), None, 0)  # WRONG
