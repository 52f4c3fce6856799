"""A put outside any epoch."""

# kind: mpi-error

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

window = MPI.Win.Allocate(8, comm=world)
if world.rank == 0:
    window.Put(np.ones(1), 1)  # WRONG
window.Free()
