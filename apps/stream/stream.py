"""Triad of STREAM, a = b + s c, in NumPy on every rank: python stream.py NUMBERS REPETITIONS.

J. D. McCalpin, "Memory bandwidth and machine balance in current high performance computers", IEEE TCCA Newsletter,
1995. NumPy passes five times over arrays (multiply: c in, a out; add: a and b in, a out), STREAM's loop three times.
Arrays come from pysmpi.folded_empty, which is numpy.empty in a real run.
"""

import sys

import numpy as np
from mpi4py import MPI

import pysmpi

PASSES = 5


def main(numbers: int, repetitions: int) -> None:
    """Measure the triad, and print the results of the slowest rank."""
    world = MPI.COMM_WORLD
    host = world.Split_type(MPI.COMM_TYPE_SHARED)
    on_host = host.size
    host.Free()
    a, b, c = (pysmpi.folded_empty(numbers) for _ in range(3))
    for array in (a, b, c):
        array[...] = 1.0
    world.Barrier()
    start = MPI.Wtime()
    for _ in range(repetitions):
        np.multiply(c, 3.0, out=a)
        np.add(a, b, out=a)
    seconds = world.allreduce(MPI.Wtime() - start, op=MPI.MAX) / repetitions
    if world.rank == 0:
        rate = PASSES * 8 * numbers / seconds / 1e9
        print(f"{on_host} ranks a host: {seconds:.6f} s, {rate:.2f} GB/s a rank, {rate * on_host:.2f} GB/s a host")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
