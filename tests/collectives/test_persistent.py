"""Persistent collectives: created once, started many times, in any order."""

import pytest


def _values(number, use, rank):
    return 100.0 * number + 10 * use + rank


def _started_in_any_order(count):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    given, taken = np.zeros((4, count)), np.zeros((4, count * ranks))
    requests = [
        comm.Allreduce_init(given[0], taken[0, :count]),
        comm.Bcast_init(given[1], 0),
        comm.Allgather_init(given[2], taken[2]),
        comm.Alltoallv_init([taken[1], [count] * ranks], [taken[3], [count] * ranks]),
    ]
    order = np.random.default_rng(rank)
    for use in range(5):
        given[:] = np.array([[_values(number, use, rank)] for number in range(4)])
        taken[1] = np.repeat(np.arange(ranks) * ranks + rank + use, count)
        for number in order.permutation(4):
            requests[number].Start()
        if use % 2:
            MPI.Request.Waitall(requests)
        else:
            for number in order.permutation(4):
                requests[number].Wait()
        assert np.all(taken[0, :count] == sum(_values(0, use, i) for i in range(ranks)))
        assert np.all(given[1] == _values(1, use, 0))
        assert np.array_equal(taken[2], np.repeat([_values(2, use, i) for i in range(ranks)], count))
        assert np.array_equal(taken[3], np.repeat([rank * ranks + i + use for i in range(ranks)], count))
    for request in requests:
        request.Free()


@pytest.mark.parametrize("count", [0, 1, 9000])
@pytest.mark.parametrize("ranks", [1, 2, 3, 6])
def test_started_in_any_order(run, ranks, count):
    run(_started_in_any_order, ranks, count)


def _in_place_each_time():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    buffer = np.zeros(2)
    request = comm.Allreduce_init(MPI.IN_PLACE, buffer)
    for use in range(3):
        buffer[:] = use, comm.rank
        request.Start()
        request.Wait()
        assert list(buffer) == [use * comm.size, comm.size * (comm.size - 1) / 2]
    request.Free()


def test_in_place(run):
    """With MPI_IN_PLACE, the buffer's contents at each start are used."""
    run(_in_place_each_time, 5)


def _misused():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    request = comm.Barrier_init()
    request.Wait()  # inactive: completes at once
    request.Start()
    for call in (request.Start, request.Free, request.Cancel):
        try:
            call()
        except MPI.Exception as error:
            assert error.Get_error_class() == MPI.ERR_REQUEST
        else:
            raise AssertionError(call)
    request.Wait()
    assert request.Test()
    request.Free()
    assert request == MPI.REQUEST_NULL


def test_misuse(run):
    """Starting one twice, and freeing or cancelling an active one, are errors that leave it unchanged."""
    run(_misused, 3)


def _objects_freed_first():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Dup()
    column = MPI.DOUBLE.Create_vector(3, 1, 2).Commit()
    matrix = np.full((3, 2), float(comm.rank))
    request = comm.Bcast_init([matrix, 1, column], 0)
    column.Free()
    comm.Free()
    for use in range(2):
        matrix[:] = MPI.COMM_WORLD.rank + use
        request.Start()
        request.Wait()
        assert np.all(matrix[:, 0] == use)
        assert np.all(matrix[:, 1] == MPI.COMM_WORLD.rank + use)
    request.Free()


def test_objects_freed_before_it_starts(run):
    run(_objects_freed_first, 4)


def _elapsed(persistent):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    a, b = np.zeros(5000), np.zeros(5000)
    request = comm.Allreduce_init(a, b) if persistent else None
    begin = MPI.Wtime()
    for _ in range(3):
        if request:
            request.Start()
            request.Wait()
        else:
            comm.Allreduce(a, b)
    return MPI.Wtime() - begin


def test_each_use_takes_the_time_of_the_blocking_one(run):
    """Creating one takes no time. Open MPI has other schedules unless the setting asks for the blocking ones."""
    cfg = {"smpi/nonblocking-collectives": "blocking"}
    used = run(_elapsed, 7, True, cfg=cfg).values
    assert used == pytest.approx(run(_elapsed, 7, False, cfg=cfg).values, rel=1e-12)
