"""Program with performance problems selected by its arguments: a slow rank, a late sender, a shared link."""

import sys

import numpy as np
from mpi4py import MPI

import pysmpi

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
planted = sys.argv[1:]
block = np.zeros(500_000)
for _ in range(4):
    pysmpi.execute(0.06 if "slow" in planted and rank == 3 else 0.04)
    comm.Barrier()
    if "late" in planted and rank == 4:
        pysmpi.sleep(0.02)
        comm.Send(block[:1000], 5, tag=1)  # late
    elif "late" in planted and rank == 5:
        comm.Recv(block[:1000], 4, tag=1)  # waits
    MPI.Request.Waitall([comm.Irecv(np.empty_like(block), (rank - 1) % size), comm.Isend(block, (rank + 1) % size)])
    if "link" in planted and rank == 7:
        MPI.Request.Waitall([comm.Irecv(np.empty_like(block), source) for source in range(3)])
    elif "link" in planted and rank < 3:
        comm.Send(block, 7)  # crosses
