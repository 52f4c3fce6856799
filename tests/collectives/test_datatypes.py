"""Collectives between buffers of derived datatypes."""

import pytest
from collective_choices import names

RANKS = [1, 2, 3, 5, 8]


def _strided():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    column = MPI.DOUBLE.Create_vector(4, 1, ranks).Create_resized(0, 8).Commit()  # one column of a 4 × ranks matrix

    # Blocks of rows on one side, columns on the other: a transposition.
    matrix = np.arange(4.0 * ranks).reshape(4, ranks) + 100 * rank
    rows = np.full((ranks, 4), np.nan)
    comm.Alltoall([matrix, 1, column], [rows, 4, MPI.DOUBLE])
    assert np.array_equal(rows, np.arange(4.0 * ranks).reshape(4, ranks)[:, rank] + 100.0 * np.arange(ranks)[:, None])
    columns = np.full((4, ranks), np.nan)
    comm.Alltoall([rows, 4, MPI.DOUBLE], [columns, 1, column])
    assert np.array_equal(columns, matrix)

    gathered = np.full((4, ranks), np.nan)
    comm.Allgather([np.arange(4.0) + rank, 4, MPI.DOUBLE], [gathered, 1, column])
    assert np.array_equal(gathered, np.arange(4.0)[:, None] + np.arange(ranks))
    for root in range(ranks):
        mine = np.full(4, np.nan)
        comm.Scatter([matrix, 1, column], [mine, 4, MPI.DOUBLE], root)
        assert np.array_equal(mine, np.arange(4.0 * ranks).reshape(4, ranks)[:, rank] + 100 * root)
        back = np.full((4, ranks), np.nan)
        comm.Gather([mine, 4, MPI.DOUBLE], [back, 1, column], root)
        if rank == root:
            assert np.array_equal(back, matrix)
        copied = matrix.copy() if rank == root else np.zeros((4, ranks))
        comm.Bcast([copied, 1, column], root)
        assert np.array_equal(copied[:, 0], np.arange(4.0) * ranks + 100 * root)
        if rank != root:
            assert not copied[:, 1:].any(), "bytes between the elements were written"


def _own_operation_on_own_type():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    pairs = MPI.DOUBLE.Create_vector(2, 1, 2).Create_resized(0, 32).Commit()  # items 0 and 2 of each 4

    def add(left, right, _datatype):
        a, b = np.frombuffer(left).reshape(-1, 4), np.frombuffer(right).reshape(-1, 4)
        b[:, ::2] += a[:, ::2]

    op = MPI.Op.Create(add, commute=True)
    for count in (1, 3, 40):
        given = np.arange(4.0 * count) + comm.rank
        total = np.full(4 * count, -7.0)
        comm.Allreduce([given, count, pairs], [total, count, pairs], op)
        expected = np.full((count, 4), -7.0)
        whole = np.arange(4.0 * count).reshape(count, 4) * comm.size + sum(range(comm.size))
        expected[:, ::2] = whole[:, ::2]
        assert np.array_equal(total.reshape(count, 4), expected)
    op.Free()


def _in_pairs():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    pair = MPI.DOUBLE.Create_contiguous(2).Commit()
    given = np.arange(6.0 * ranks).reshape(ranks, 6)
    for pairs_sent in (True, False):
        out, into = ([3, pair], [6, MPI.DOUBLE]) if pairs_sent else ([6, MPI.DOUBLE], [3, pair])
        gathered = np.full((ranks, 6), np.nan)
        comm.Allgather([given[rank].copy(), *out], [gathered, *into])
        assert np.array_equal(gathered, given)
        step = into[0] + 1  # with a gap of one element, which stays unchanged
        row = np.full(step * 6 // into[0] * ranks, np.nan)
        blocks = ([into[0]] * ranks, [step * other for other in range(ranks)])
        comm.Allgatherv([given[rank].copy(), *out], [row, blocks, into[1]])
        assert np.array_equal(row.reshape(ranks, -1)[:, :6], given)
        assert np.isnan(row.reshape(ranks, -1)[:, 6:]).all()
        for root in range(ranks):
            gathered = np.full((ranks, 6), np.nan)
            comm.Gather([given[rank].copy(), *out], [gathered, *into], root)
            assert rank != root or np.array_equal(gathered, given)
            mine = np.full(6, np.nan)
            comm.Scatter([given.copy(), *out], [mine, *into], root)
            assert np.array_equal(mine, given[rank])


MOVES = ("bcast", "gather", "scatter", "allgather", "alltoall")


@pytest.mark.parametrize(
    "setting", [f"{operation}:{name}" for operation in MOVES for name in ["default", *names(operation)]]
)
@pytest.mark.parametrize("ranks", RANKS)
def test_strided_elements(run, ranks, setting):
    """Columns of a matrix are elements of a derived type; nothing between them is changed."""
    operation, name = setting.split(":")
    run(_strided, ranks, cfg={f"smpi/{operation}": name})


@pytest.mark.parametrize(
    "setting", [f"{op}:{name}" for op in ("gather", "scatter", "allgather", "allgatherv") for name in names(op)]
)
@pytest.mark.parametrize("ranks", RANKS)
def test_elements_of_other_lengths_on_both_sides(run, ranks, setting):
    """Three elements of two doubles are received as six of one, and vice versa."""
    operation, name = setting.split(":")
    run(_in_pairs, ranks, cfg={f"smpi/{operation}": name})


@pytest.mark.parametrize("ranks", RANKS)
def test_own_operation_on_derived_type(run, ranks):
    run(_own_operation_on_own_type, ranks)
