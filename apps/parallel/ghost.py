"""Heat in a cube on many ranks, each with a block: python ghost.py SIDE STEPS. It computes what sequential/ghost.py
does."""

import sys

import numpy as np
from halo import Grid
from mpi4py import MPI


def main(n: int, steps: int) -> None:
    """Start with a hot cube in the middle, and print how hot the middle is at the end."""
    grid = Grid(MPI.COMM_WORLD, n, axes=3)
    u = np.zeros(grid.shape)
    u[grid.places(n // 4, n // 2)] = 1.0
    c = slice(1, -1)
    for _ in range(steps):
        grid.exchange(u)
        lap = u[:-2, c, c] + u[2:, c, c] + u[c, :-2, c] + u[c, 2:, c] + u[c, c, :-2] + u[c, c, 2:] - 6.0 * u[c, c, c]
        u[c, c, c] = u[c, c, c] + 0.1 * lap
    if grid.owns(n // 2):
        middle = u[tuple(n // 2 - low for low, _ in grid.bounds)]
        print(f"{steps} steps of {n}^3 points, u in the middle {middle:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
