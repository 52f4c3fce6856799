"""Conjugate gradients for Poisson's equation on many ranks, each with a block: python cg.py SIDE STEPS. It computes
what sequential/cg.py does."""

import sys

import numpy as np
from halo import Grid
from mpi4py import MPI


def main(n: int, steps: int) -> None:
    """Solve with a right-hand side of ones, and print the residual."""
    world = MPI.COMM_WORLD
    grid = Grid(world, n, axes=2)

    def total(values: np.ndarray) -> float:
        found = np.array([np.sum(values)])
        world.Allreduce(MPI.IN_PLACE, found)
        return float(found[0])

    p = np.zeros(grid.shape)  # with a rim of zeros
    x = np.zeros_like(p[1:-1, 1:-1])
    r = np.ones_like(x)
    p[1:-1, 1:-1] = r
    rho = total(r * r)
    for _ in range(steps):
        grid.exchange(p)
        inner = p[1:-1, 1:-1]
        q = 4.0 * inner - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]
        alpha = rho / total(inner * q)
        x += alpha * inner
        r -= alpha * q
        before, rho = rho, total(r * r)
        p[1:-1, 1:-1] = r + rho / before * inner
    if world.rank == 0:
        print(f"{steps} steps on {n} x {n} points, residual {np.sqrt(rho):.6e}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
