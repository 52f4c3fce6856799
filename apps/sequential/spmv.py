"""Power iteration with a sparse matrix in CSR form: python spmv.py ORDER STEPS [BAND].

Row i has elements in the columns i - BAND to i + BAND (default 2) that exist.
"""

import sys

import numpy as np


def main(n: int, steps: int, band: int) -> None:
    """Multiply a vector by the matrix in each step, and print its largest element."""
    row, shift = np.divmod(np.arange(n * (2 * band + 1)), 2 * band + 1)
    cols = row + shift - band
    inside = (cols >= 0) & (cols < n)
    row, cols = row[inside], cols[inside]
    start = np.searchsorted(row, np.arange(n))
    data = np.random.default_rng(1).random(len(cols))
    x = np.ones(n)
    for _ in range(steps):
        y = np.add.reduceat(data * x[cols], start)
        x = y / n
    print(f"{steps} products of order {n} with {len(cols)} elements, largest element {x.max():.6e}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2)
