"""One rank ends without the last collective call of the others, which do not wait for it."""

# kind: mismatched-collective
# ranks: 3

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank < 2:
    world.Bcast(np.ones(1), 0)  # WRONG
