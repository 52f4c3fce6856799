"""Conjugate gradients for Poisson's equation on a square, 5-point operator: python cg.py SIDE STEPS."""

import sys

import numpy as np


def main(n: int, steps: int) -> None:
    """Solve with a right-hand side of ones, and print the residual."""
    x = np.zeros((n, n))
    r = np.ones((n, n))
    p = np.zeros((n + 2, n + 2))  # with a rim of zeros
    p[1:-1, 1:-1] = r
    rho = np.sum(r * r)
    for _ in range(steps):
        inner = p[1:-1, 1:-1]
        q = 4.0 * inner - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]
        alpha = rho / np.sum(inner * q)
        x += alpha * inner
        r -= alpha * q
        before, rho = rho, np.sum(r * r)
        p[1:-1, 1:-1] = r + rho / before * inner
    print(f"{steps} steps on {n} x {n} points, residual {np.sqrt(rho):.6e}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
