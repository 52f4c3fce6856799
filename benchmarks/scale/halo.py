"""Exchanges with four neighbours on a periodic grid: halo.py BYTES ITERATIONS."""

import sys

import numpy as np
from mpi4py import MPI


def main(length: int, iterations: int) -> None:
    """Exchange, and print the time when the first rank has finished."""
    world = MPI.COMM_WORLD
    rows, columns = MPI.Compute_dims(world.size, 2)
    row, column = divmod(world.rank, columns)
    north, south = (row - 1) % rows * columns + column, (row + 1) % rows * columns + column
    west, east = row * columns + (column - 1) % columns, row * columns + (column + 1) % columns
    edges, halo = np.zeros((4, length), np.uint8), np.empty((4, length), np.uint8)
    for _ in range(iterations):
        world.Sendrecv(edges[0], north, 0, halo[1], south)
        world.Sendrecv(edges[1], south, 0, halo[0], north)
        world.Sendrecv(edges[2], west, 0, halo[3], east)
        world.Sendrecv(edges[3], east, 0, halo[2], west)
    if world.rank == 0:
        print(f"{iterations} exchanges of {length} B: {MPI.Wtime() * 1e6:.3f} us")


main(int(sys.argv[1]), int(sys.argv[2]))
