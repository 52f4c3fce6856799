"""Each collective moves and reduces the right data, for any number of ranks, counts and root."""

import pytest
from collective_choices import RANKS, names

from pysmpi.simulation.collectives import OPERATIONS

COUNTS = [0, 1, 3, 8191, 8193]  # doubles: none, few, and both sides of the size from which senders wait


def _roots(ranks):
    return sorted({0, ranks // 2, ranks - 1})


def _data(ranks, count):
    """Return each rank's contribution: a row of small whole numbers, whose sums are exact in any order."""
    import numpy

    return numpy.random.default_rng([ranks, count]).integers(-99, 99, (ranks, ranks * count)).astype(float)


def _blocks(row, ranks):
    return row.reshape(ranks, -1)


def _rooted(counts):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    for count in counts:
        given = _data(ranks, count)
        one = given[:, :count]
        for root in _roots(ranks):
            at_root = rank == root
            buffer = one[root].copy() if at_root else np.full(count, np.nan)
            comm.Bcast(buffer, root)
            assert np.array_equal(buffer, one[root])

            total = np.full(count, np.nan) if at_root else None
            comm.Reduce(one[rank].copy(), total, MPI.SUM, root)
            assert not at_root or np.array_equal(total, one.sum(0))
            total = one[rank].copy()
            comm.Reduce(MPI.IN_PLACE if at_root else total, total if at_root else None, MPI.SUM, root)
            assert not at_root or np.array_equal(total, one.sum(0))

            gathered = np.full((ranks, count), np.nan) if at_root else None
            comm.Gather(one[rank].copy(), gathered, root)
            assert not at_root or np.array_equal(gathered, one)
            gathered = np.where(np.arange(ranks)[:, None] == rank, one, np.nan) if at_root else None
            comm.Gather(MPI.IN_PLACE if at_root else one[rank].copy(), gathered, root)
            assert not at_root or np.array_equal(gathered, one)

            mine = np.full(count, np.nan)
            comm.Scatter(given[root].copy() if at_root else None, mine, root)
            assert np.array_equal(mine, _blocks(given[root], ranks)[rank])
            kept = given[root].copy() if at_root else None
            comm.Scatter(kept, MPI.IN_PLACE if at_root else mine, root)
            assert np.array_equal(_blocks(kept, ranks)[rank] if at_root else mine, _blocks(given[root], ranks)[rank])


def _unrooted(counts):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    for count in counts:
        given = _data(ranks, count)
        one = given[:, :count]
        comm.Barrier()

        def reduced(call, one=one, count=count):
            """Return the result with two buffers, which the result in place must equal."""
            result = np.full(count, np.nan)
            call(one[rank].copy(), result)
            in_place = one[rank].copy()
            call(MPI.IN_PLACE, in_place)
            assert np.array_equal(result, in_place, equal_nan=True)
            return result

        assert np.array_equal(reduced(comm.Allreduce), one.sum(0))
        assert np.array_equal(reduced(comm.Scan), one[: rank + 1].sum(0))
        below = np.full(count, -1.0)
        comm.Exscan(one[rank].copy(), below)
        assert np.array_equal(below, one[:rank].sum(0) if rank else np.full(count, -1.0))

        mine = np.full(count, np.nan)
        comm.Reduce_scatter_block(given[rank].copy(), mine)
        assert np.array_equal(mine, _blocks(given.sum(0), ranks)[rank])
        whole = given[rank].copy()
        comm.Reduce_scatter_block(MPI.IN_PLACE, whole)
        assert np.array_equal(whole[:count], mine)

        gathered = np.full((ranks, count), np.nan)
        comm.Allgather(one[rank].copy(), gathered)
        assert np.array_equal(gathered, one)
        gathered = np.where(np.arange(ranks)[:, None] == rank, one, np.nan)
        comm.Allgather(MPI.IN_PLACE, gathered)
        assert np.array_equal(gathered, one)

        expected = given.reshape(ranks, ranks, count)[:, rank]
        exchanged = np.full((ranks, count), np.nan)
        comm.Alltoall(given[rank].copy(), exchanged)
        assert np.array_equal(exchanged, expected)
        exchanged = _blocks(given[rank], ranks).copy()
        comm.Alltoall(MPI.IN_PLACE, exchanged)
        assert np.array_equal(exchanged, expected)


def _by_vectors(longest):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    counts = np.array([longest // (1 + i % 3) * (i % 4 != 2) for i in range(ranks)], dtype="i")
    begins = np.concatenate(([0], np.cumsum(counts + 1)[:-1])).astype("i")  # with gaps of one
    room = int((counts + 1).sum())
    given = _data(ranks, longest + 1)[:, :room]
    places = np.concatenate([np.arange(b, b + c) for b, c in zip(begins, counts, strict=True)]).astype(int)

    def filled(rows):
        row = np.full(room, -1.0)
        row[places] = np.concatenate([rows[i][: counts[i]] for i in range(ranks)])
        return row

    for root in _roots(ranks):
        at_root = rank == root
        out = np.full(room, -1.0)
        comm.Gatherv(given[rank, : counts[rank]].copy(), [out, counts, begins, MPI.DOUBLE] if at_root else None, root)
        assert not at_root or np.array_equal(out, filled(given))
        mine = np.full(counts[rank], np.nan)
        comm.Scatterv([given[root].copy(), counts, begins, MPI.DOUBLE] if at_root else None, mine, root)
        assert np.array_equal(mine, given[root, begins[rank] : begins[rank] + counts[rank]])

    out = np.full(room, -1.0)
    comm.Allgatherv(given[rank, : counts[rank]].copy(), [out, counts, begins, MPI.DOUBLE])
    assert np.array_equal(out, filled(given))
    out = np.full(room, -1.0)
    out[begins[rank] : begins[rank] + counts[rank]] = given[rank, : counts[rank]]
    comm.Allgatherv(MPI.IN_PLACE, [out, counts, begins, MPI.DOUBLE])
    assert np.array_equal(out, filled(given))

    total = int(counts.sum())
    mine = np.full(counts[rank], np.nan)
    comm.Reduce_scatter(given[rank, :total].copy(), mine, counts)
    first = int(counts[:rank].sum())
    assert np.array_equal(mine, given[:, :total].sum(0)[first : first + counts[rank]])

    # Rank i sends counts[j] elements to rank j, from the position of its own blocks.
    out = np.full((ranks, int(counts[rank])), np.nan)
    same = np.full(ranks, counts[rank], dtype="i")
    receive = [out, same, np.arange(ranks, dtype="i") * counts[rank]]
    comm.Alltoallv([given[rank].copy(), counts, begins, MPI.DOUBLE], [*receive, MPI.DOUBLE])
    expected = given[:, begins[rank] : begins[rank] + counts[rank]]
    assert np.array_equal(out, expected)
    out[:] = np.nan
    comm.Alltoallw(
        [given[rank].copy(), counts, begins * 8, [MPI.DOUBLE] * ranks],
        [out, same, receive[2] * 8, [MPI.DOUBLE] * ranks],
    )
    assert np.array_equal(out, expected)

    whole = given[rank, :total].copy()
    comm.Reduce_scatter(MPI.IN_PLACE, whole, counts)
    assert np.array_equal(whole[: counts[rank]], mine)

    # In place, the blocks sent to a rank and received from it have the same length.
    both = np.array([longest // (1 + (rank + other) % 3) for other in range(ranks)], dtype="i")
    starts = np.concatenate(([0], np.cumsum(both)[:-1])).astype("i")
    for exchange in (
        lambda data: comm.Alltoallv(MPI.IN_PLACE, [data, both, starts, MPI.DOUBLE]),
        lambda data: comm.Alltoallw(MPI.IN_PLACE, [data, both, starts * 8, [MPI.DOUBLE] * ranks]),
    ):
        data = np.repeat(100.0 * rank + np.arange(ranks), both)
        exchange(data)
        assert np.array_equal(data, np.repeat(100.0 * np.arange(ranks) + rank, both))


@pytest.mark.parametrize("ranks", RANKS)
def test_collectives_with_a_root(run, ranks):
    """Bcast, Reduce, Gather and Scatter, also in place, equal numpy's results."""
    run(_rooted, ranks, COUNTS)


@pytest.mark.parametrize("ranks", RANKS)
def test_collectives_without_a_root(run, ranks):
    """Allreduce, Scan, Exscan, Reduce_scatter_block, Allgather and Alltoall, also in place, equal numpy's results."""
    run(_unrooted, ranks, COUNTS)


@pytest.mark.parametrize("longest", [0, 1, 5, 9000])
@pytest.mark.parametrize("ranks", RANKS)
def test_collectives_with_a_count_a_rank(run, ranks, longest):
    """The v- and w-variants have gaps between blocks, and ranks without data."""
    run(_by_vectors, ranks, longest)


ALGORITHMS = [f"{operation}:{name}" for operation in OPERATIONS for name in names(operation)]


@pytest.mark.parametrize("setting", ALGORITHMS)
@pytest.mark.parametrize("ranks", RANKS)
def test_every_algorithm_gives_the_same_results(run, ranks, setting):
    """Numbers of ranks include powers of two and others."""
    operation, name = setting.split(":")
    cfg = {f"smpi/{operation}": name}
    if operation in {"bcast", "reduce", "gather", "scatter"}:
        run(_rooted, ranks, [0, 1, 3, 1000, 8192], cfg=cfg)
    else:
        run(_unrooted, ranks, [0, 1, 3, 1000], cfg=cfg)
        run(_by_vectors, ranks, 5, cfg=cfg)


def _barriers_hold():
    import time

    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    for late in range(comm.size):
        begin = MPI.Wtime()
        if comm.rank == late:
            time.sleep(1.0)
        comm.Barrier()
        assert MPI.Wtime() >= begin + 1.0 - 1e-3, "left before the last rank had entered"


@pytest.mark.parametrize("name", names("barrier"))
@pytest.mark.parametrize("ranks", [2, 3, 7, 8])
def test_no_rank_leaves_a_barrier_before_all_have_entered(run, ranks, name):
    run(_barriers_hold, ranks, cfg={"smpi/barrier": name})


def _large_ring():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    count = 3 * comm.size * 131072 + 5  # several segments of a mebibyte, and a remainder
    total = np.empty(count)
    comm.Allreduce(np.arange(count) + float(comm.rank), total)
    assert np.array_equal(total, np.arange(count) * comm.size + sum(range(comm.size)))


@pytest.mark.parametrize("ranks", [2, 3])
def test_segmented_ring_in_several_phases(run, ranks):
    """Vectors longer than a segment per rank take several phases."""
    run(_large_ring, ranks, cfg={"smpi/allreduce": "ompi_ring_segmented"})
