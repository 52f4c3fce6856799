"""User-defined operations, created by each rank."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size


def join(one, other, datatype):
    """Not commutative."""
    first, second = np.frombuffer(one), np.frombuffer(other)
    second[:] = first + 2 * second


own = MPI.Op.Create(join, commute=False)
buffer = np.ones(5)
world.Allreduce(MPI.IN_PLACE, buffer, own)
world.Iallreduce(buffer, np.zeros(5), own).Wait()
pairs = np.zeros(1, np.dtype("f8,i4", align=True))
world.Allreduce(MPI.IN_PLACE, [pairs, 1, MPI.DOUBLE_INT], MPI.MINLOC)
own.Free()
