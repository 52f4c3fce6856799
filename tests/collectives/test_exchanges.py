"""Total exchanges: number of rounds, substitutes for undefined algorithms, and memory."""

import math

import pytest

from pysmpi.collectives import fallbacks


def _elapsed(operation, count):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    ranks = comm.size
    out, into = np.zeros(count * ranks), np.zeros(count * ranks)
    begin = MPI.Wtime()
    if operation == "alltoall":
        comm.Alltoall(out, into)
    else:
        begins = np.arange(ranks) * count
        comm.Alltoallv([out, [count] * ranks, begins, MPI.DOUBLE], [into, [count] * ranks, begins, MPI.DOUBLE])
    return MPI.Wtime() - begin


@pytest.mark.parametrize("k", [1, 2, 3, 100])
@pytest.mark.parametrize("ranks", [2, 3, 8, 9, 16])
@pytest.mark.parametrize("operation", ["alltoall", "alltoallv"])
@pytest.mark.parametrize(("name", "length"), [("ring", lambda ranks: ranks - 1),
                                             ("two-sided-ring", lambda ranks: ranks // 2)])  # fmt: skip
def test_stages_of_rings(run, operation, ranks, k, name, length):
    """The number of stages is the ring, or half of it, divided by k; each takes the time of one empty message."""
    message = max(run(_elapsed, 2, operation, 0, cfg={f"smpi/{operation}": f"{name}-1"}).values)
    elapsed = max(run(_elapsed, ranks, operation, 0, cfg={f"smpi/{operation}": f"{name}-{k}"}).values)
    assert elapsed == pytest.approx(math.ceil(length(ranks) / k) * message, rel=0.1)  # envelopes have bytes


def test_ring_of_all_others_is_burst(run):
    """One stage with all ranks, in the order of distance."""
    ring, burst = (run(_elapsed, 9, "alltoallv", 1000, cfg={"smpi/alltoallv": name}) for name in ("ring-8", "burst"))
    assert ring.values == burst.values


def test_the_first_stage_of_ring_k(run):
    """Rank 0 of nine receives from ranks 5 to 8 in the first stage of ring-4.

    In the first stage of two-sided-ring-2 it receives from both sides. It waits there while ranks 1 to 4 are late.
    """
    assert run(_arrived_early, 9, cfg={"smpi/alltoallv": "ring-4"}).values[0] == [5, 6, 7, 8]
    assert run(_arrived_early, 9, cfg={"smpi/alltoallv": "two-sided-ring-2"}).values[0] == [7, 8]


def _arrived_early():
    """Return the ranks whose blocks have arrived before ranks 1 to 4 make the call."""
    import time

    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    into = np.zeros(comm.size)
    ones, begins = [1] * comm.size, np.arange(comm.size)
    if 1 <= comm.rank <= 4:
        time.sleep(2.0)
    request = comm.Ialltoallv([np.ones(comm.size), ones, begins, MPI.DOUBLE], [into, ones, begins, MPI.DOUBLE])
    time.sleep(1.0)
    arrived = [int(rank) for rank in np.flatnonzero(into) if rank != comm.rank]
    request.Wait()
    return arrived


@pytest.mark.parametrize(
    ("operation", "name", "ranks", "instead"),
    [
        ("alltoall", "pair", 6, "ring"),
        ("alltoall", "pair_light_barrier", 6, "ring_light_barrier"),
        ("alltoall", "pair_mpi_barrier", 6, "ring_mpi_barrier"),
        ("alltoall", "pair_one_barrier", 6, "ring_one_barrier"),
        ("alltoall", "2dmesh", 7, "ring"),
        ("alltoall", "3dmesh", 10, "ring"),
        ("alltoall", "ompi_two_proc", 3, "basic_linear"),
        ("alltoallv", "pair", 6, "ring"),
    ],
)
def test_what_an_algorithm_turns_to(run, operation, name, ranks, instead):
    """If an algorithm is not defined for a call, another one replaces it, with a report."""
    elapsed = run(_elapsed, ranks, operation, 500, cfg={f"smpi/{operation}": name}).values
    assert [line for line in fallbacks() if line.startswith(f"{operation}: {name} fell back to {instead}: ")]
    assert elapsed == run(_elapsed, ranks, operation, 500, cfg={f"smpi/{operation}": instead}).values
    assert not fallbacks()


def _folded(count):
    import resource

    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    out, into = pysmpi.folded_empty(count * comm.size), pysmpi.folded_empty(count * comm.size)
    comm.Alltoall(out, into)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_exchanges_of_folded_arrays_keep_nothing(run):
    """1,024 ranks exchange 8 GiB each way by Bruck's algorithm in a fraction of that memory."""
    before = max(run(_folded, 1024, 1, cfg={"smpi/alltoall": "bruck"}).values)
    after = max(run(_folded, 1024, 1024, cfg={"smpi/alltoall": "bruck"}).values)
    assert after - before < 64 * 1024  # KiB
