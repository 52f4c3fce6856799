"""Heat in a cube, explicit steps with the 7-point stencil: python ghost.py SIDE STEPS."""

import sys

import numpy as np


def main(n: int, steps: int) -> None:
    """Start with a hot cube in the middle, and print how hot the middle is at the end."""
    u = np.zeros((n + 2, n + 2, n + 2))
    u[n // 4 : n // 2, n // 4 : n // 2, n // 4 : n // 2] = 1.0
    c = slice(1, -1)
    for _ in range(steps):
        lap = u[:-2, c, c] + u[2:, c, c] + u[c, :-2, c] + u[c, 2:, c] + u[c, c, :-2] + u[c, c, 2:] - 6.0 * u[c, c, c]
        u[c, c, c] = u[c, c, c] + 0.1 * lap
    print(f"{steps} steps of {n}^3 points, u in the middle {u[n // 2, n // 2, n // 2]:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
