"""Sums of NumPy arrays over all ranks: python allreduce.py NUMBERS TIMES."""

import sys

import numpy as np
from mpi4py import MPI


def main(count: int, times: int) -> None:
    """Sum, and print the total seconds."""
    world = MPI.COMM_WORLD
    mine, sums = np.ones(count), np.empty(count)
    world.Barrier()
    start = MPI.Wtime()
    for _ in range(times):
        world.Allreduce(mine, sums)
    if world.rank == 0:
        print(f"took {MPI.Wtime() - start:.9f} s")


main(*map(int, sys.argv[1:]))
