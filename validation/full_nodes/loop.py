"""Time a benchmark as OSU's programs do: pysmpirun ... validation/full_nodes/loop.py BENCHMARK BYTES [BYTES ...].

BENCHMARK is osu_allreduce, osu_latency or osu_bw. For each number of bytes, rank 0 prints seconds: the mean over ranks
and calls of the time in MPI_Allreduce, half of a round trip, or the time of a message in a window of 64. Data are
single-precision numbers that nothing looks at, and reductions are sums.
"""

import sys

import numpy as np
from mpi4py import MPI

import pysmpi

WARM, CALLS, WINDOW = 1, 2, 64


def allreduce(size: int) -> float:
    """Return the mean time of a call over ranks and calls, on rank 0."""
    world = MPI.COMM_WORLD
    sent, received = (pysmpi.folded_empty(max(1, size // 4), "f") for _ in range(2))
    passed = 0.0
    for call in range(WARM + CALLS):
        begin = MPI.Wtime()
        world.Allreduce(sent, received)
        if call >= WARM:
            passed += MPI.Wtime() - begin
        world.Barrier()
    total = np.zeros(1)
    world.Reduce(np.array([passed]), total)
    return float(total[0]) / world.size / CALLS


def latency(size: int) -> float:
    """Return half of the time of a round trip, on rank 0."""
    world = MPI.COMM_WORLD
    data = pysmpi.folded_empty(max(1, size), "b")
    message = [data, size, MPI.BYTE]
    world.Barrier()
    begin = 0.0
    for call in range(WARM + CALLS):
        if call == WARM:
            begin = MPI.Wtime()
        if world.rank == 0:
            world.Send(message, 1)
            world.Recv(message, 1)
        else:
            world.Recv(message, 0)
            world.Send(message, 0)
    return (MPI.Wtime() - begin) / CALLS / 2


def bandwidth(size: int) -> float:
    """Return the time of a message in windows, on rank 0."""
    world = MPI.COMM_WORLD
    message = [pysmpi.folded_empty(max(1, size), "b"), size, MPI.BYTE]
    acknowledgment = [pysmpi.folded_empty(4, "b"), 4, MPI.BYTE]
    world.Barrier()
    begin = 0.0
    for call in range(WARM + CALLS):
        if call == WARM:
            begin = MPI.Wtime()
        if world.rank == 0:
            MPI.Request.Waitall([world.Isend(message, 1) for _ in range(WINDOW)])
            world.Recv(acknowledgment, 1)
        else:
            MPI.Request.Waitall([world.Irecv(message, 0) for _ in range(WINDOW)])
            world.Send(acknowledgment, 0)
    return (MPI.Wtime() - begin) / CALLS / WINDOW


BENCHMARKS = {"osu_allreduce": allreduce, "osu_latency": latency, "osu_bw": bandwidth}


def main() -> None:
    """Print a time for each number of bytes."""
    if sys.argv[1] not in BENCHMARKS:
        raise SystemExit(f"unknown benchmark {sys.argv[1]!r} (valid: {', '.join(BENCHMARKS)})")
    for size in map(int, sys.argv[2:]):
        seconds = BENCHMARKS[sys.argv[1]](size)
        if MPI.COMM_WORLD.rank == 0:
            print(seconds, flush=True)


if __name__ == "__main__":
    main()
