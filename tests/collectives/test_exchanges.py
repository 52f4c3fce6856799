"""Total exchanges: number of rounds, substitutes for undefined algorithms, and memory."""

import math

import pytest

from pysmpi.simulation.collectives import fallbacks

# Messages whose time is their latency: calls take no time, and envelopes little in comparison.
FAR = dict.fromkeys(("smpi/os", "smpi/or", "smpi/ois"), "0:0:0") | {"smpi/lat-factor": "0:10"}


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
    message = max(run(_elapsed, 2, operation, 0, cfg={**FAR, f"smpi/{operation}": f"{name}-1"}).values)
    elapsed = max(run(_elapsed, ranks, operation, 0, cfg={**FAR, f"smpi/{operation}": f"{name}-{k}"}).values)
    assert elapsed == pytest.approx(math.ceil(length(ranks) / k) * message, rel=0.1)  # envelopes have bytes


def test_ring_of_all_others_is_burst(run):
    """One stage with all ranks, in the order of distance."""
    ring, burst = (run(_elapsed, 9, "alltoallv", 1000, cfg={"smpi/alltoallv": name}) for name in ("ring-8", "burst"))
    assert ring.values == burst.values


def test_the_first_stage_of_ring_k(run):
    """Rank 0 of nine receives from ranks 5 to 8 in the first stage of ring-4.

    In the first stage of two-sided-ring-2 it receives from both sides. It waits there while ranks 1 to 4 are late.
    """
    blocking = {"smpi/nonblocking-collectives": "blocking"}
    assert run(_arrived_early, 9, cfg={**blocking, "smpi/alltoallv": "ring-4"}).values[0] == [5, 6, 7, 8]
    assert run(_arrived_early, 9, cfg={**blocking, "smpi/alltoallv": "two-sided-ring-2"}).values[0] == [7, 8]


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


def _unequal(seed):
    """Exchange random numbers of elements, many of them zero, with gaps between blocks; return wrong elements."""
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    drawn = np.random.default_rng(seed)
    counts = drawn.integers(0, 5, (comm.size, comm.size)) * drawn.integers(0, 2, (comm.size, comm.size))
    counts[0] *= 300  # rank 0 sends much more than the others
    if comm.size > 2:
        counts[2] = 0

    def begins_of(blocks):
        return np.concatenate(([0], np.cumsum(blocks + 1)[:-1])).astype(int)

    sent, received = counts[comm.rank], counts[:, comm.rank]
    out, into = np.full(sent.sum() + comm.size, -2.0), np.full(received.sum() + comm.size, -1.0)
    expected = into.copy()
    for to, begin in enumerate(begins_of(sent)):
        out[begin : begin + sent[to]] = comm.rank * 1e6 + to * 1e3 + np.arange(sent[to])
    for source, begin in enumerate(begins_of(received)):
        count = received[source]
        expected[begin : begin + count] = source * 1e6 + comm.rank * 1e3 + np.arange(count)
    comm.Alltoallv([out, sent, begins_of(sent), MPI.DOUBLE], [into, received, begins_of(received), MPI.DOUBLE])
    twin = np.full_like(into, -1.0)
    comm.Ialltoallv([out, sent, begins_of(sent), MPI.DOUBLE], [twin, received, begins_of(received), MPI.DOUBLE]).Wait()
    return int((into != expected).sum() + (twin != expected).sum())


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8, 13, 16, 31])
def test_two_phase_bruck_moves_unequal_blocks(run, ranks):
    for seed in range(3):
        assert sum(run(_unequal, ranks, seed, cfg={"smpi/alltoallv": "two-phase-bruck"}).values) == 0


def _strided():
    """Exchange every second element: the datatypes of both sides have gaps."""
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    pair = MPI.DOUBLE.Create_vector(2, 1, 2).Create_resized(0, 32).Commit()
    out = comm.rank * 1000 + np.arange(4.0 * comm.size)
    into = np.full(4 * comm.size, -1.0)
    ones, begins = [1] * comm.size, list(range(comm.size))
    comm.Alltoallv([out, ones, begins, pair], [into, ones, begins, pair])
    expected = np.full((comm.size, 2, 2), -1.0)
    expected[:, :, 0] = [[source * 1000 + comm.rank * 4 + step for step in (0, 2)] for source in range(comm.size)]
    return int((into != expected.ravel()).sum())


def test_two_phase_bruck_moves_blocks_with_gaps(run):
    assert sum(run(_strided, 6, cfg={"smpi/alltoallv": "two-phase-bruck"}).values) == 0


def _too_long():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    sent, received = [2] * comm.size, [1 if rank == 0 and comm.rank == 3 else 2 for rank in range(comm.size)]
    begins = [2 * rank for rank in range(comm.size)]
    out, into = np.zeros(2 * comm.size), np.zeros(2 * comm.size)
    try:
        comm.Alltoallv([out, sent, begins, MPI.DOUBLE], [into, received, begins, MPI.DOUBLE])
    except MPI.Exception as error:
        return error.Get_error_class() == MPI.ERR_TRUNCATE
    return False


@pytest.mark.parametrize("name", ["two-phase-bruck", "ring"])
def test_a_block_longer_than_its_place_is_an_error(run, name):
    assert run(_too_long, 5, cfg={"smpi/alltoallv": name}).values == [False, False, False, True, False]


@pytest.mark.parametrize("ranks", [2, 3, 8, 9, 16])
def test_rounds_of_two_phase_bruck(run, ranks):
    """Each of ⌈log2 P⌉ steps is a message of sizes and one of blocks."""
    message = max(run(_elapsed, 2, "alltoallv", 0, cfg={"smpi/alltoallv": "ring-1"}).values)
    elapsed = max(run(_elapsed, ranks, "alltoallv", 0, cfg={"smpi/alltoallv": "two-phase-bruck"}).values)
    assert elapsed == pytest.approx(2 * math.ceil(math.log2(ranks)) * message, rel=0.1)
