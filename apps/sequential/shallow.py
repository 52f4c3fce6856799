"""Shallow water on a torus, centred differences: python shallow.py SIDE STEPS."""

import sys

import numpy as np


class Water:
    """Height and velocities on a square grid with periodic boundaries."""

    def __init__(self, n: int) -> None:
        y, x = np.mgrid[:n, :n] / n
        self.h = 1.0 + 0.1 * np.exp(-40.0 * ((x - 0.5) ** 2 + (y - 0.5) ** 2))
        self.u, self.v = np.zeros((n, n)), np.zeros((n, n))
        self.n = n

    def ddx(self, f: "np.typing.NDArray[np.float64]") -> "np.typing.NDArray[np.float64]":
        """Return the difference along the second axis."""
        return (np.roll(f, -1, axis=1) - np.roll(f, 1, axis=1)) * (0.5 * self.n)

    def ddy(self, f: "np.typing.NDArray[np.float64]") -> "np.typing.NDArray[np.float64]":
        """Return the difference along the first axis."""
        return (np.roll(f, -1, axis=0) - np.roll(f, 1, axis=0)) * (0.5 * self.n)

    def step(self, dt: float) -> None:
        """Advance by one time step."""
        h, u, v = self.h, self.u, self.v
        self.h = h - dt * (self.ddx(h * u) + self.ddy(h * v))
        self.u = u - dt * (u * self.ddx(u) + v * self.ddy(u) + self.ddx(h))
        self.v = v - dt * (u * self.ddx(v) + v * self.ddy(v) + self.ddy(h))


def main(n: int, steps: int) -> None:
    """Let a hump of water spread, and print its height."""
    water = Water(n)
    for _ in range(steps):
        water.step(0.1 / n)
    print(f"{steps} steps of {n} x {n} points, highest {water.h.max():.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
