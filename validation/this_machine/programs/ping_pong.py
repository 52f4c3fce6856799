"""Messages there and back between two ranks, in NumPy's buffers: python ping_pong.py BYTES TIMES."""

import sys

import numpy as np
from mpi4py import MPI


def main(size: int, times: int) -> None:
    """Exchange, and print the total seconds."""
    world = MPI.COMM_WORLD
    message = np.zeros(size, np.uint8)
    other = 1 - world.rank
    world.Barrier()
    start = MPI.Wtime()
    for _ in range(times):
        if world.rank == 0:
            world.Send(message, dest=other)
            world.Recv(message, source=other)
        else:
            world.Recv(message, source=other)
            world.Send(message, dest=other)
    if world.rank == 0:
        print(f"took {MPI.Wtime() - start:.9f} s")


main(*map(int, sys.argv[1:]))
