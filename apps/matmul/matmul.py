"""Product of two distributed matrices, in NumPy and mpi4py: python matmul.py ORDER.

Cannon's algorithm on a square grid of ranks (L. E. Cannon, "A cellular computer to implement the Kalman filter
algorithm", 1969): blocks of A move left and blocks of B move up, and each rank multiplies the blocks that it has.
Arrays come from pysmpi.folded_empty, which is numpy.empty in a real run; therefore a simulation can have any size.
"""

import sys

import numpy as np
from mpi4py import MPI

import pysmpi


def main(order: int) -> None:
    """Multiply, print the results, and check them: with a_ij = 1 / order and b_ij = j the product is j."""
    world = MPI.COMM_WORLD
    side = round(world.size**0.5)
    if side * side != world.size or order % side:
        sys.exit(f"the number of ranks ({world.size}) must be a square number whose root divides the order ({order})")
    grid = world.Create_cart((side, side), periods=(True, True))
    column = grid.coords[1]
    block = order // side
    a, b, c = (pysmpi.folded_empty((block, block)) for _ in range(3))
    # Blocks are placed as after the skew at the start of the algorithm: rank (i, j) has A(i, i + j) and B(i + j, j).
    a[...] = 1.0 / order
    b[...] = np.arange(column * block, (column + 1) * block)
    np.matmul(a, b, out=c)  # the first product is slower, since the library allocates its buffers
    c[...] = 0.0
    world.Barrier()
    start = MPI.Wtime()
    to_right, to_left = grid.Shift(1, -1)
    to_lower, to_upper = grid.Shift(0, -1)
    for step in range(side):
        c += a @ b
        if step < side - 1:
            grid.Sendrecv_replace(a, to_left, source=to_right)
            grid.Sendrecv_replace(b, to_upper, source=to_lower)
    seconds = world.allreduce(MPI.Wtime() - start, op=MPI.MAX)
    error = np.zeros(1)
    if not pysmpi.is_folded(c):
        error[0] = np.abs(c - np.arange(column * block, (column + 1) * block)).max()
    world.Allreduce(MPI.IN_PLACE, error, MPI.MAX)
    if world.rank == 0:
        rate = 2 * order**3 / seconds / 1e9 if seconds > 0 else 0.0
        print(f"product of order {order} on {world.size} ranks: {seconds:.6g} s, {rate:.1f} Gflop/s")
        if not pysmpi.is_folded(c):
            print(f"error {error[0]:.3e}")
    grid.Free()


if __name__ == "__main__":
    main(int(sys.argv[1]))
