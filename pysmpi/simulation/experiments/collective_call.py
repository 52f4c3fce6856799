"""Program that measures one collective call on all ranks of a simulation, and the names of the algorithms to try."""

from collections.abc import Callable, Sequence
from typing import Any

from pysmpi.simulation.collectives import algorithms
from pysmpi.simulation.compute import folded_empty, sleep
from pysmpi.simulation.instruments.outcome import Result

__all__ = ["UNMEASURED", "choices", "measure", "slowest"]

UNMEASURED = {"smpi/simulate-computation": "no", "smpi/wtime": "0"}
"""Settings under which only the call itself takes time."""

_APART = 10.0  # simulated seconds between the agreement on a start time and the start


def choices(operation: str, parameters: Sequence[int] = (2, 4, 8)) -> list[str]:
    """Return the values of ``smpi/OPERATION`` that choose an algorithm.

    Args:
        operation: one of `pysmpi.simulation.collectives.OPERATIONS`.
        parameters: values of k for algorithms with a parameter, such as "ring-k".
    """
    return [
        name
        for algorithm in algorithms(operation)
        for name in (
            [f"{algorithm.name[:-1]}{parameter}" for parameter in parameters]
            if algorithm.name.endswith("-k")
            else [algorithm.name]
        )
    ]


def slowest(result: Result, sizes: int) -> tuple[float, ...]:
    """Return the seconds of the slowest rank for each of the sizes that `measure` was called with.

    Args:
        result: result of a simulation of `measure`.
        sizes: number of sizes.
    """
    assert result.values is not None
    return tuple(max(of_rank[index] for of_rank in result.values) for index in range(sizes))


def measure(operation: str, sizes: tuple[int, ...]) -> list[float]:
    """Measure the collective on the calling rank; return the seconds for each size."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if operation.startswith("neighbor"):
        dimensions = MPI.Compute_dims(comm.size, 2)
        comm = comm.Create_cart(dimensions, [True] * len(dimensions))
    seconds = []
    for size in sizes:
        call = _call(operation, comm, size)
        call()
        begin = comm.allreduce(MPI.Wtime(), MPI.MAX) + _APART
        sleep(begin - MPI.Wtime())
        call()
        seconds.append(MPI.Wtime() - begin)
    return seconds


def _call(operation: str, comm: Any, size: int) -> Callable[[], Any]:
    """Return the collective call with buffers of `size` bytes in folded memory, which takes no space."""
    import numpy
    from mpi4py import MPI

    method = getattr(comm, operation.capitalize())
    if operation == "barrier":
        return method  # type: ignore[no-any-return]
    reduces = operation in {"reduce", "allreduce", "reduce_scatter", "scan", "exscan"}
    dtype = numpy.dtype(float if reduces and size % 8 == 0 else numpy.uint8)
    op = MPI.SUM if dtype.kind == "f" else MPI.BOR
    count, blocks = size // dtype.itemsize, comm.size
    if operation.startswith("neighbor"):
        blocks = comm.indegree
    one, other = folded_empty(count, dtype), folded_empty(count, dtype)
    all_blocks, other_blocks = folded_empty((blocks, count), dtype), folded_empty((blocks, count), dtype)
    counts = numpy.full(blocks, count, "i")
    displacements = numpy.arange(blocks, dtype="i") * count
    each = [all_blocks, counts, displacements, MPI._typedict[dtype.char]]
    by_bytes = [all_blocks, counts, displacements * dtype.itemsize, [MPI._typedict[dtype.char]] * blocks]
    words: dict[str, tuple[Any, ...]] = {
        "bcast": (one,), "reduce": (one, other, op),
        "allreduce": (one, other, op), "scan": (one, other, op), "exscan": (one, other, op),
        "reduce_scatter": (all_blocks, one, counts, op),
        "gather": (one, all_blocks), "gatherv": (one, each), "scatter": (all_blocks, one), "scatterv": (each, one),
        "allgather": (one, all_blocks), "allgatherv": (one, each),
        "alltoall": (all_blocks, other_blocks), "alltoallv": (each, each),
        "alltoallw": (by_bytes, by_bytes), "neighbor_allgather": (one, all_blocks),
        "neighbor_allgatherv": (one, each), "neighbor_alltoall": (all_blocks, other_blocks),
        "neighbor_alltoallv": (each, each), "neighbor_alltoallw": (by_bytes, by_bytes),
    }  # fmt: skip
    arguments = words[operation]
    return lambda: method(*arguments)
