"""One rank sends integers where the root takes numbers of floating point."""

# kind: mismatched-datatype
# ranks: 3

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Gather(np.ones(2), np.ones((world.size, 2)), 0)  # WRONG
elif world.rank == 1:
    world.Gather(np.ones(2), None, 0)
else:
    world.Gather(np.ones(2, "i8"), None, 0)  # WRONG
