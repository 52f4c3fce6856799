"""HPL's random matrix [A b]: the same N×(N+1) numbers on every grid.

The sequence is the linear congruential generator of HPL 2.3 (testing/matgen): X ← a·X + 1 mod 2^64 with Knuth's a =
6364136223846793005, first state a·seed + 1, and the value 1/2 - X / 2^64 in (-1/2, 1/2]. Element (i, j) uses the state
number j·N + i. Each process jumps to its own columns: X after n steps is A(n)·X + C(n).
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from distribution import global_indices

if TYPE_CHECKING:
    from grid import Grid

MULTIPLIER = 6364136223846793005
INCREMENT = 1
MASK = (1 << 64) - 1
SEED = 100


def jump(steps: int) -> tuple[int, int]:
    """Return (A, C) such that the state after `steps` steps is A·X + C mod 2^64, by repeated squaring."""
    total_multiplier, total_increment = 1, 0
    multiplier, increment = MULTIPLIER, INCREMENT
    while steps:
        if steps & 1:
            total_multiplier = total_multiplier * multiplier & MASK
            total_increment = (total_increment * multiplier + increment) & MASK
        increment = increment * (multiplier + 1) & MASK
        multiplier = multiplier * multiplier & MASK
        steps >>= 1
    return total_multiplier, total_increment


def generate(grid: "Grid", n: int, nb: int, alignment: int = 1, seed: int = SEED) -> npt.NDArray[np.float64]:
    """Return this process's part of [A b], column-major.

    The distance of columns is a multiple of `alignment` numbers, but not a power of two, which would cause cache
    conflicts.
    """
    rows = global_indices(n, nb, grid.my_row, grid.p)
    columns = global_indices(n + 1, nb, grid.my_column, grid.q)
    jumps = [jump(int(i)) for i in rows]
    multipliers = np.array([multiplier for multiplier, _ in jumps], np.uint64)
    increments = np.array([increment for _, increment in jumps], np.uint64)
    leading = -(-max(1, len(rows)) // alignment) * alignment
    if alignment > 1 and leading.bit_count() == 1:
        leading += alignment
    matrix = np.empty((leading, len(columns)), order="F")[: len(rows)]
    for local, column in enumerate(columns):
        multiplier, increment = jump(int(column) * n + 1)
        state = np.uint64((multiplier * seed + increment) & MASK)
        matrix[:, local] = 0.5 - (multipliers * state + increments).astype(np.float64) * 2.0**-64
    return matrix
