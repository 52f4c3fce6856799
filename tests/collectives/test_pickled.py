"""mpi4py's lower-case collectives, which send pickled objects and keep lengths on the C stack."""


def _pickled():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    mine = {"rank": rank, "words": ["x" * (rank % 7)] * 3}

    def of(i):
        return {"rank": i, "words": ["x" * (i % 7)] * 3}

    for root in (0, ranks // 3, ranks - 1):
        assert comm.bcast(mine if rank == root else None, root) == of(root)
        gathered = comm.gather(mine, root)
        assert gathered == ([of(i) for i in range(ranks)] if rank == root else None)
        assert comm.scatter([(root, i) for i in range(ranks)] if rank == root else None, root) == (root, rank)
        total = comm.reduce([rank], MPI.SUM, root)
        assert total == (list(range(ranks)) if rank == root else None)
    assert comm.allgather(mine) == [of(i) for i in range(ranks)]
    assert comm.alltoall([(rank, i) for i in range(ranks)]) == [(i, rank) for i in range(ranks)]
    assert comm.allreduce(rank, MPI.MAX) == ranks - 1
    assert comm.scan([rank]) == list(range(rank + 1))
    assert comm.exscan([rank]) == (list(range(rank)) if rank else None)


def test_pickled_collectives_on_64_ranks(run):
    run(_pickled, 64)


def test_pickled_collectives_on_7_ranks(run):
    """The number of ranks is not a power of two."""
    run(_pickled, 7)
