"""One rank uses a user-defined operation in place of MPI's."""

# kind: mismatched-operation

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD

own = MPI.Op.Create(lambda one, other, datatype: None)
buffer = np.ones(1)
if world.rank == 0:
    world.Allreduce(MPI.IN_PLACE, buffer, own)  # WRONG
else:
    world.Allreduce(MPI.IN_PLACE, buffer, MPI.SUM)  # WRONG
own.Free()
