"""Product of two square matrices: python product.py ORDER."""

import sys

import numpy as np


def main(n: int) -> None:
    """Multiply two random matrices, and print one element."""
    random = np.random.default_rng(1)
    a = random.random((n, n))
    b = random.random((n, n))
    c = a @ b
    print(f"product of order {n}, last element {c[-1, -1]:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
