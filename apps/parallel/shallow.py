"""Shallow water on a torus on many ranks, each with a block: python shallow.py SIDE STEPS. It computes what
sequential/shallow.py does."""

import sys

import numpy as np
from halo import Grid
from mpi4py import MPI


class Water:
    """This rank's block of height and velocities on a square grid with periodic boundaries, with rims."""

    def __init__(self, grid: Grid, n: int) -> None:
        y, x = np.mgrid[tuple(slice(low, high) for low, high in grid.bounds)] / n
        self.h, self.u, self.v = (np.zeros(grid.shape) for _ in range(3))
        self.h[1:-1, 1:-1] = 1.0 + 0.1 * np.exp(-40.0 * ((x - 0.5) ** 2 + (y - 0.5) ** 2))
        self.grid = grid
        self.n = n

    def ddx(self, f: "np.typing.NDArray[np.float64]") -> "np.typing.NDArray[np.float64]":
        """Return the difference along the second axis."""
        return (f[1:-1, 2:] - f[1:-1, :-2]) * (0.5 * self.n)

    def ddy(self, f: "np.typing.NDArray[np.float64]") -> "np.typing.NDArray[np.float64]":
        """Return the difference along the first axis."""
        return (f[2:, 1:-1] - f[:-2, 1:-1]) * (0.5 * self.n)

    def step(self, dt: float) -> None:
        """Advance by one time step."""
        for field in (self.h, self.u, self.v):
            self.grid.exchange(field)
        h, u, v = self.h, self.u, self.v
        inner = slice(1, -1), slice(1, -1)
        new_h = h[inner] - dt * (self.ddx(h * u) + self.ddy(h * v))
        new_u = u[inner] - dt * (u[inner] * self.ddx(u) + v[inner] * self.ddy(u) + self.ddx(h))
        new_v = v[inner] - dt * (u[inner] * self.ddx(v) + v[inner] * self.ddy(v) + self.ddy(h))
        h[inner], u[inner], v[inner] = new_h, new_u, new_v


def main(n: int, steps: int) -> None:
    """Let a hump of water spread, and print its height."""
    world = MPI.COMM_WORLD
    water = Water(Grid(world, n, axes=2, periodic=True), n)
    for _ in range(steps):
        water.step(0.1 / n)
    highest = world.reduce(water.h[1:-1, 1:-1].max(), MPI.MAX)
    if world.rank == 0:
        print(f"{steps} steps of {n} x {n} points, highest {highest:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
