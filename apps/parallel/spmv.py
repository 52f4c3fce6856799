"""Power iteration with a sparse matrix on many ranks, each with a block of rows: python spmv.py ORDER STEPS [BAND].

It computes what sequential/spmv.py does. Each rank knows the pattern of the matrix, so it knows which elements of x
the others need from it.
"""

import sys

import numpy as np
from halo import share
from mpi4py import MPI


def needed(n: int, band: int, ranks: int, rank: int) -> tuple[int, int]:
    """Return the first column in which a rank has elements, and the first one after them."""
    first, last = share(n, ranks, rank)
    return max(first - band, 0), min(last + band, n)


def main(n: int, steps: int, band: int) -> None:
    """Multiply a vector by the matrix in each step, and print its largest element."""
    world = MPI.COMM_WORLD
    first, last = share(n, world.size, world.rank)
    begin, end = needed(n, band, world.size, world.rank)
    row, shift = np.divmod(np.arange(n * (2 * band + 1)), 2 * band + 1)
    cols = row + shift - band
    inside = (cols >= 0) & (cols < n)
    row, cols = row[inside], cols[inside]
    own = (row >= first) & (row < last)
    data = np.random.default_rng(1).random(len(cols))[own]
    row, cols = row[own] - first, cols[own] - begin
    start = np.searchsorted(row, np.arange(last - first))
    outgoing, incoming = [], []
    for rank in range(world.size):
        if rank != world.rank:
            low, high = needed(n, band, world.size, rank)
            outgoing.append((rank, max(low, first), min(high, last)))
            low, high = share(n, world.size, rank)
            incoming.append((rank, max(low, begin), min(high, end)))
    x = np.ones(end - begin)  # this rank's elements, and those of others that it needs
    for _ in range(steps):
        requests = [world.Irecv(x[low - begin : high - begin], rank) for rank, low, high in incoming if low < high]
        requests += [world.Isend(x[low - begin : high - begin], rank) for rank, low, high in outgoing if low < high]
        MPI.Request.Waitall(requests)
        y = np.add.reduceat(data * x[cols], start)
        x[first - begin : last - begin] = y / n
    largest = world.reduce(x[first - begin : last - begin].max(), MPI.MAX)
    count = world.reduce(len(cols))
    if world.rank == 0:
        print(f"{steps} products of order {n} with {count} elements, largest element {largest:.6e}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2)
