"""Exchanges with four neighbours on a grid that is closed in both directions: halo.py BYTES ITERATIONS."""

import sys

import numpy as np
from mpi4py import MPI

size, iterations = int(sys.argv[1]), int(sys.argv[2])
grid = MPI.COMM_WORLD.Create_cart(MPI.Compute_dims(MPI.COMM_WORLD.size, 2), [True, True])
sent, received = np.zeros((4, size), np.uint8), np.empty((4, size), np.uint8)
(north, south), (west, east) = grid.Shift(0, 1), grid.Shift(1, 1)
ways = ((north, south), (south, north), (west, east), (east, west))
for _ in range(iterations):
    for i, (destination, source) in enumerate(ways):
        grid.Sendrecv(sent[i], destination, 0, received[i], source)
if grid.rank == 0:
    print(f"{iterations} exchanges of {size} B: {MPI.Wtime() * 1e6:.3f} us")
