"""Time a collective as the campaign did: pysmpirun -np 32 ... validation/pico/loop.py COLLECTIVE BYTES [BYTES ...].

For each number of bytes: a barrier, then several times a clock, the collective, a clock and a barrier. Rank 0 prints
the median over the calls of the longest duration of a rank, in seconds. ``BYTES`` is the whole buffer: a block is a
share of it. Data are int32, and reductions are sums.
"""

import statistics
import sys
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import pysmpi

WARM, CALLS = 1, 3


def call_of(collective: str, size: int) -> Callable[[], None]:
    """Return a function that calls the collective with buffers of `size` bytes."""
    world = MPI.COMM_WORLD
    whole = max(1, size // 4)
    block = max(1, whole // world.size)
    all_blocks = block * world.size
    is_root = world.rank == 0

    def array(items: int) -> np.ndarray:
        # Calls of few bytes have real data, which take no part in the time.
        return pysmpi.folded_empty(items, dtype=np.int32) if 4 * items >= 1 << 20 else np.ones(items, dtype=np.int32)

    if collective == "allreduce":
        sent, received = array(whole), array(whole)
        return lambda: world.Allreduce(sent, received)
    if collective == "reduce":
        sent, at_root = array(whole), array(whole) if is_root else None
        return lambda: world.Reduce(sent, at_root)
    if collective == "bcast":
        sent = array(whole)
        return lambda: world.Bcast(sent)
    if collective == "allgather":
        sent, received = array(block), array(all_blocks)
        return lambda: world.Allgather(sent, received)
    if collective == "gather":
        sent, at_root = array(block), array(all_blocks) if is_root else None
        return lambda: world.Gather(sent, at_root)
    if collective == "scatter":
        at_root, received = array(all_blocks) if is_root else None, array(block)
        return lambda: world.Scatter(at_root, received)
    if collective == "alltoall":
        sent, received = array(all_blocks), array(all_blocks)
        return lambda: world.Alltoall(sent, received)
    if collective == "reduce_scatter":
        sent, received = array(all_blocks), array(block)
        counts = [block] * world.size
        return lambda: world.Reduce_scatter(sent, received, counts)
    raise SystemExit(f"unknown collective {collective!r}")


def main() -> None:
    """Print a time for each number of bytes."""
    world = MPI.COMM_WORLD
    for size in map(int, sys.argv[2:]):
        call = call_of(sys.argv[1], size)
        durations = np.zeros(WARM + CALLS)
        world.Barrier()
        for index in range(WARM + CALLS):
            begun = MPI.Wtime()
            call()
            durations[index] = MPI.Wtime() - begun
            world.Barrier()
        longest = np.zeros_like(durations)
        world.Reduce(durations, longest, MPI.MAX)
        if world.rank == 0:
            print(statistics.median(longest[WARM:]), flush=True)


if __name__ == "__main__":
    main()
