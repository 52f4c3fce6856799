"""Heat in a square on many ranks, each with a block: python heat.py SIDE STEPS. It computes what sequential/heat.py
does."""

import sys

import numpy as np
from halo import Grid
from mpi4py import MPI


def main(n: int, steps: int) -> None:
    """Start with a hot square in the middle, and print how much heat is left inside."""
    grid = Grid(MPI.COMM_WORLD, n, axes=2)
    u = np.zeros(grid.shape)
    u[grid.places(n // 4, n // 2)] = 1.0
    for _ in range(steps):
        grid.exchange(u)
        lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * lap
    if grid.owns(n // 2):
        middle = u[tuple(n // 2 - low for low, _ in grid.bounds)]
        print(f"{steps} steps of {n} x {n} points, u in the middle {middle:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
