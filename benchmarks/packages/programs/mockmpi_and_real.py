"""Run one function on mockmpi's communicator of processes, started by rank 0, and on the real one."""

import mockmpi
import numpy as np
from mpi4py import MPI


def total(comm: MPI.Comm) -> None:
    """Check a reduction."""
    x = np.full(3, comm.rank, dtype=float)
    y = np.zeros(3)
    comm.Allreduce(x, y)
    assert (y == sum(range(comm.size))).all()


if __name__ == "__main__":
    total(MPI.COMM_WORLD)
    if MPI.COMM_WORLD.rank == 0:
        mockmpi.mock_mpiexec(3, total)
        print("both")
