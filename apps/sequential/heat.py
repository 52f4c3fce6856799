"""Heat in a square, explicit steps with the 5-point stencil: python heat.py SIDE STEPS."""

import sys

import numpy as np


def main(n: int, steps: int) -> None:
    """Start with a hot square in the middle, and print how much heat is left inside."""
    u = np.zeros((n + 2, n + 2))
    u[n // 4 : n // 2, n // 4 : n // 2] = 1.0
    for _ in range(steps):
        lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * lap
    print(f"{steps} steps of {n} x {n} points, u in the middle {u[n // 2, n // 2]:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
