"""Loops of OSU's benchmarks of collectives: osu.py PARAMETERS.json, under pysmpirun.

For each size, the program prints the mean over ranks and iterations of the time in a call, as osu_bcast, osu_barrier
and the others do. Between calls, all but osu_barrier have a barrier. Ranks leave it at different times, and the next
call begins with this skew.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from mpi4py import MPI

import pysmpi

SKIPPED, COUNTED = 3, 6  # iterations


def main() -> None:
    """Time the collective on the processes that take part, in the order of the parameters."""
    world = MPI.COMM_WORLD
    asked = json.loads(Path(sys.argv[1]).read_text())
    places: list[int] = asked["places"]
    if world.rank not in places:  # the rank only holds a core
        return
    ranks = world.Create_group(world.group.Incl(places))  # sends no messages to ranks that hold a core
    for size in asked["sizes"]:
        seconds = mean_seconds(ranks, asked["collective"], size)
        if ranks.rank == 0:
            print(seconds, flush=True)


def mean_seconds(ranks: MPI.Comm, collective: str, size: int) -> float:
    """Return the time of a call as the mean over ranks, on rank 0."""
    call = calls(ranks, size)[collective]
    passed = 0.0
    for iteration in range(SKIPPED + COUNTED):
        begin = MPI.Wtime()
        call()
        if iteration >= SKIPPED:
            passed += MPI.Wtime() - begin
        if collective != "barrier":
            ranks.Barrier()
    total = np.zeros(1)
    ranks.Reduce(np.array([passed]), total)
    return float(total[0] / ranks.size / COUNTED)


def calls(ranks: MPI.Comm, size: int) -> dict[str, Callable[[], None]]:
    """Return the collectives with messages of `size` bytes, by name. Their data are never looked at."""
    data = pysmpi.folded_empty((max(size, 1),), "b")
    blocks = pysmpi.folded_empty((ranks.size * max(size, 1),), "b")
    numbers = pysmpi.folded_empty((max(size // 4, 1),), "f")
    return {
        "barrier": ranks.Barrier,
        "bcast": lambda: ranks.Bcast([data, size, MPI.BYTE]),
        "allreduce": lambda: ranks.Allreduce(numbers, pysmpi.folded_empty(numbers.shape, "f")),
        "allgather": lambda: ranks.Allgather([data, size, MPI.BYTE], [blocks, size, MPI.BYTE]),
        "alltoall": lambda: ranks.Alltoall([blocks, size, MPI.BYTE], [blocks, size, MPI.BYTE]),
    }


main()
