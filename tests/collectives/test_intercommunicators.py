"""Collectives on intercommunicators: each group receives the contributions of the other."""

import pytest

from pysmpi.errors import DeadlockError, RankError

GROUPS = [(1, 1), (1, 3), (2, 2), (4, 3)]


def _between(first):
    """Return an intercommunicator between the first ranks and the others, this rank's group, and its size."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    group = int(world.rank >= first)
    local = world.Split(group, world.rank)
    comm = local.Create_intercomm(0, world, 0 if group else first)
    local.Free()
    return comm, group


def _do(comm, nonblocking, name, *arguments):
    if nonblocking:
        getattr(comm, "I" + name.lower())(*arguments).Wait()
    else:
        getattr(comm, name)(*arguments)


def _unrooted(first, count, nonblocking):
    import numpy as np
    from mpi4py import MPI

    comm, group = _between(first)
    rank, mine, theirs = comm.rank, comm.size, comm.remote_size

    def given(group, rank):
        return np.arange(count) + 100.0 * group + 10 * rank

    others = np.array([given(1 - group, i) for i in range(theirs)])
    _do(comm, nonblocking, "Barrier")

    total = np.full(count, np.nan)
    _do(comm, nonblocking, "Allreduce", given(group, rank), total)
    assert np.array_equal(total, others.sum(0))
    _do(comm, nonblocking, "Allreduce", given(group, rank), total, MPI.MAX)
    assert np.array_equal(total, others.max(0))

    gathered = np.full((theirs, count), np.nan)
    _do(comm, nonblocking, "Allgather", given(group, rank), gathered)
    assert np.array_equal(gathered, others)

    gathered = np.full((theirs, count + 1), np.nan)
    where = [(count + 1) * i for i in range(theirs)]
    _do(comm, nonblocking, "Allgatherv", given(group, rank), [gathered, [count] * theirs, where, MPI.DOUBLE])
    assert np.array_equal(gathered[:, :count], others)
    assert np.all(np.isnan(gathered[:, count]))

    out = np.array([given(group, rank) + 1000 * i for i in range(theirs)])
    into = np.full((theirs, count), np.nan)
    _do(comm, nonblocking, "Alltoall", out, into)
    assert np.array_equal(into, others + 1000 * rank)

    into[:] = np.nan
    rows, places = [count] * theirs, [count * i for i in range(theirs)]
    _do(comm, nonblocking, "Alltoallv", [out, rows, places, MPI.DOUBLE], [into, rows, places, MPI.DOUBLE])
    assert np.array_equal(into, others + 1000 * rank)

    into[:] = np.nan
    sides = [[buffer, rows, [8 * place for place in places], [MPI.DOUBLE] * theirs] for buffer in (out, into)]
    _do(comm, nonblocking, "Alltoallw", *sides)
    assert np.array_equal(into, others + 1000 * rank)

    length = 12 * count  # equal in both groups: each spreads the other's sums over its own ranks
    whole = np.arange(length) + 7.0 * group + rank
    sums = np.sum([np.arange(length) + 7.0 * (1 - group) + i for i in range(theirs)], axis=0)
    share = length // mine
    counts = [share] * mine
    counts[0], counts[-1] = counts[0] - share // 2, counts[-1] + share // 2
    if mine == 1:
        counts = [length]
    result = np.full(counts[rank], np.nan)
    _do(comm, nonblocking, "Reduce_scatter", whole, result, counts)
    begin = sum(counts[:rank])
    assert np.array_equal(result, sums[begin : begin + counts[rank]])
    result = np.full(share, np.nan)
    _do(comm, nonblocking, "Reduce_scatter_block", whole, result)
    assert np.array_equal(result, sums[share * rank : share * (rank + 1)])
    comm.Free()


@pytest.mark.parametrize("nonblocking", [False, True])
@pytest.mark.parametrize("count", [0, 1, 9000])
@pytest.mark.parametrize("groups", GROUPS)
def test_both_groups_get_the_others_data(run, groups, count, nonblocking):
    run(_unrooted, sum(groups), groups[0], count, nonblocking)


def _rooted(first, count, nonblocking):
    import numpy as np
    from mpi4py import MPI

    comm, group = _between(first)
    rank, mine, theirs = comm.rank, comm.size, comm.remote_size
    sizes = (mine, theirs) if group == 0 else (theirs, mine)
    for roots_group in (0, 1):
        for root in range(sizes[roots_group]):
            here = group == roots_group
            at_root = here and rank == root
            said = (MPI.ROOT if at_root else MPI.PROC_NULL) if here else root
            one = np.arange(count) + 10.0 * (root if at_root else rank)
            all_of_them = np.arange(theirs * count).reshape(theirs, count) * 1.0
            everyone = np.array([np.arange(count) + 10.0 * i for i in range(theirs)])
            row = np.arange(rank * count, (rank + 1) * count)

            buffer = one if at_root else np.full(count, np.nan)
            _do(comm, nonblocking, "Bcast", buffer if at_root or not here else None, said)
            assert here or np.array_equal(buffer, np.arange(count) + 10.0 * root)

            total = np.full(count, np.nan)
            _do(comm, nonblocking, "Reduce", None if here else one, total if at_root else None, MPI.SUM, said)
            assert not at_root or np.array_equal(total, everyone.sum(0))

            rows = np.full((theirs, count), np.nan)
            _do(comm, nonblocking, "Gather", None if here else one, rows if at_root else None, said)
            assert not at_root or np.array_equal(rows, everyone)
            rows[:] = np.nan
            vector = [rows, [count] * theirs, [count * i for i in range(theirs)], MPI.DOUBLE]
            _do(comm, nonblocking, "Gatherv", None if here else one, vector if at_root else None, said)
            assert not at_root or np.array_equal(rows, everyone)

            part = np.full(count, np.nan)
            _do(comm, nonblocking, "Scatter", all_of_them if at_root else None, None if here else part, said)
            assert here or np.array_equal(part, row)
            part[:] = np.nan
            vector[0] = all_of_them
            _do(comm, nonblocking, "Scatterv", vector if at_root else None, None if here else part, said)
            assert here or np.array_equal(part, row)
    comm.Free()


@pytest.mark.parametrize("nonblocking", [False, True])
@pytest.mark.parametrize("count", [0, 1, 9000])
@pytest.mark.parametrize("groups", GROUPS)
def test_roots_in_either_group(run, groups, count, nonblocking):
    """Only the root of its group takes part; data of the other group go to it, or come from it."""
    run(_rooted, sum(groups), groups[0], count, nonblocking)


def _in_order():
    import numpy as np
    from mpi4py import MPI

    comm, group = _between(2)

    def multiply(a, b, _):
        left, right = np.frombuffer(a).reshape(-1, 2, 2), np.frombuffer(b).reshape(-1, 2, 2)
        right[:] = np.matmul(left, right)

    op = MPI.Op.Create(multiply, commute=False)
    matrices = [np.random.default_rng([1 - group, i]).integers(-2, 3, (2, 2)) * 1.0 for i in range(comm.remote_size)]
    mine = np.random.default_rng([group, comm.rank]).integers(-2, 3, (2, 2)) * 1.0
    element = MPI.DOUBLE.Create_contiguous(4).Commit()
    result = np.zeros((2, 2))
    comm.Iallreduce([mine, 1, element], [result, 1, element], op).Wait()
    expected = np.eye(2)
    for matrix in matrices:
        expected = expected @ matrix
    assert np.array_equal(result, expected)
    op.Free()


def test_own_operation_in_rank_order(run):
    """A non-commutative operation is applied in the order of the other group's ranks."""
    run(_in_order, 6)


def _persistent():
    import numpy as np

    comm, group = _between(2)
    given, result = np.zeros(3), np.zeros(3)
    request = comm.Allreduce_init(given, result)
    for use in range(3):
        given[:] = 10 * group + comm.rank + use
        request.Start()
        request.Wait()
        assert np.all(result == sum(10 * (1 - group) + i + use for i in range(comm.remote_size)))
    request.Free()


def test_persistent(run):
    run(_persistent, 5)


def _differing_elements(count):
    import numpy as np
    from mpi4py import MPI

    comm, group = _between(4)
    column = MPI.DOUBLE.Create_vector(count, 1, 2).Commit()
    wide = np.zeros((count, 2))
    narrow = np.zeros(count)
    if group == 0:
        wide[:, 0] = narrow[:] = np.arange(count)
        comm.Bcast([wide, 1, column] if comm.rank == 1 else narrow, MPI.ROOT if comm.rank == 1 else MPI.PROC_NULL)
    else:
        comm.Bcast([wide, 1, column] if comm.rank % 2 else narrow, 1)
        assert np.array_equal(wide[:, 0] if comm.rank % 2 else narrow, np.arange(count))
        assert not wide[:, 1].any()
    column.Free()


@pytest.mark.parametrize("algorithm", ["NTSL", "openmpi_scatter_allgather", "binomial_tree"])
def test_elements_may_differ_within_a_group(run, algorithm):
    """Receiving ranks describe the same data by elements of different lengths."""
    run(_differing_elements, 11, 20_000, cfg={"smpi/bcast": algorithm})


def _freed_early():
    import numpy as np

    comm, group = _between(2)
    result = np.zeros(1)
    given = np.full(1, 1.0 + group)  # mpi4py 4.1.2's Iallreduce does not keep a reference to it
    request = comm.Iallreduce(given, result)
    theirs = comm.remote_size
    comm.Free()
    request.Wait()
    assert result[0] == theirs * (2.0 - group)


def test_freed_while_one_is_under_way(run):
    run(_freed_early, 5)


def _misused():
    import numpy as np
    from mpi4py import MPI

    comm, _ = _between(1)
    a, b = np.zeros(2), np.zeros(2 * comm.remote_size)
    for call, arguments, error_class in [
        (comm.Allreduce, (MPI.IN_PLACE, a), MPI.ERR_BUFFER),
        (comm.Bcast, (a, comm.remote_size), MPI.ERR_ROOT),
        (comm.Bcast, (a, MPI.ANY_SOURCE), MPI.ERR_ROOT),
    ]:
        try:
            call(*arguments)
        except MPI.Exception as error:
            assert error.Get_error_class() == error_class, error
        else:
            raise AssertionError(call)
    comm.Allgather(a, b)


def test_misuse(run):
    """MPI_IN_PLACE and invalid roots are errors on the ranks that pass them, before anything is sent."""
    run(_misused, 3)


def _different_calls():
    comm, group = _between(2)
    if group:
        comm.Barrier()
    else:
        comm.allgather(1)


def test_mismatch_names_both_calls(run):
    """Mismatches are found across groups, and reported with world ranks."""
    with pytest.raises(RankError, match=r"MPI_\w+.* at rank \d, but MPI_\w+.* at rank \d of MPI_COMM_WORLD"):
        run(_different_calls, 4)


def _one_stays_away():
    comm, group = _between(2)
    if group == 0 or comm.rank == 0:
        comm.Barrier()


def test_absent_rank_is_a_deadlock(run):
    with pytest.raises(DeadlockError, match="MPI_Barrier") as caught:
        run(_one_stays_away, 4)
    assert "rank 3, which has ended" in str(caught.value)
