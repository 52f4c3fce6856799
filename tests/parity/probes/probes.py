"""Twin of probes.c for mpi4py."""

import sys

import numpy as np
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
BUFFER = np.zeros(int(sys.argv[2]), np.int8)


def hear(source: int) -> None:
    """Receive this rank's message after probing for it."""
    WORLD.Probe(source, 0)
    WORLD.Recv(BUFFER, source, 0)


rank, ranks = WORLD.rank, WORLD.size
MPI.Wtime()
if sys.argv[1] == "chain":
    if rank > 0:
        hear(rank - 1)
    if rank < ranks - 1:
        WORLD.Send(BUFFER, rank + 1)
elif rank % 2:
    WORLD.Send(BUFFER, rank - 1)
    hear(rank - 1)
elif rank + 1 < ranks:
    hear(rank + 1)
    WORLD.Send(BUFFER, rank + 1)
print(f"R {rank} {MPI.Wtime():.17g}")
