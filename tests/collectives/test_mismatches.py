"""Mismatched collectives are MPI errors that name both calls."""

import pytest

from pysmpi.errors import DeadlockError, RankError


def _error_of(function, *args):
    """Return the class and text of the error that a call must raise."""
    from mpi4py import MPI

    try:
        function(*args)
    except MPI.Exception as error:
        return error.Get_error_class(), str(error)
    raise AssertionError("no error")


def _different_calls():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    for _ in range(4):
        comm.Barrier()
    if comm.rank == 3:
        comm.Bcast(bytearray(80), 0)
    else:
        comm.Barrier()


def _different_roots():
    from mpi4py import MPI

    MPI.COMM_WORLD.Bcast(bytearray(8), root=MPI.COMM_WORLD.rank % 2)


def _different_counts():
    import numpy as np
    from mpi4py import MPI

    count = 3 + MPI.COMM_WORLD.rank
    MPI.COMM_WORLD.Allreduce(np.zeros(count), np.zeros(count))


def _different_operations():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    comm.Allreduce(np.zeros(1), np.zeros(1), MPI.SUM if comm.rank else MPI.MAX)


@pytest.mark.parametrize(
    ("program", "texts"),
    [
        (
            _different_calls,
            ["MPI_ERR_OTHER", "collective 5", "MPI_Bcast (root 0, 80 bytes) at rank 3", "MPI_Barrier"],
        ),
        (_different_roots, ["MPI_ERR_ROOT", "MPI_Bcast (root 1, 8 bytes) at rank 1", "root 0, 8 bytes) at rank 0"]),
        (_different_counts, ["MPI_ERR_TRUNCATE", "32 bytes, MPI_SUM) at rank 1", "24 bytes, MPI_SUM) at rank 0"]),
        (_different_operations, ["MPI_ERR_OP", "MPI_SUM) at rank 1", "MPI_MAX) at rank 0"]),
    ],
)
def test_mismatch_names_both_calls(run, program, texts):
    """The first rank whose call differs from earlier ones gets the error, which ends the program."""
    with pytest.raises(RankError) as caught:
        run(program, 4)
    for text in texts:
        assert text in str(caught.value)


def _vector_counts_do_not_match():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        error_class, text = _error_of(comm.Gatherv, np.zeros(2), [np.zeros(4), [2, 2], [0, 2], MPI.DOUBLE], 0)
        assert error_class == MPI.ERR_TRUNCATE
        assert "MPI_Gatherv" in text
    else:
        comm.Gatherv(np.zeros(3), None, 0)


def test_vector_counts_that_truncate(run):
    """A block longer than the root's count for it is MPI_ERR_TRUNCATE at the root."""
    run(_vector_counts_do_not_match, 2)


def _one_stays_away():
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank != 2:
        MPI.COMM_WORLD.Barrier()


def test_absent_rank_is_a_deadlock(run):
    with pytest.raises(DeadlockError, match="MPI_Barrier"):
        run(_one_stays_away, 4)


def _wrong_arguments():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    a, b = np.zeros(4), np.zeros(4 * comm.size)
    assert _error_of(comm.Bcast, a, comm.size)[0] == MPI.ERR_ROOT
    assert "valid: 0 to" in _error_of(comm.Bcast, a, -1)[1]
    assert _error_of(comm.Allreduce, a, a.copy(), MPI.OP_NULL)[0] == MPI.ERR_OP
    assert _error_of(comm.Allreduce, [a, 4, MPI.DOUBLE], [a, 4, MPI.DOUBLE])[0] == MPI.ERR_BUFFER
    assert _error_of(MPI.COMM_NULL.Barrier)[0] == MPI.ERR_COMM
    comm.Barrier()  # none of these was entered
    comm.Allgather(a, b)


def test_wrong_arguments(run):
    """Each is an error of its class on the ranks that pass it, before anything is sent."""
    run(_wrong_arguments, 3)


def _raises_inside():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 1:
        raise ValueError("no more")
    try:
        comm.Allreduce(np.zeros(100_000), np.zeros(100_000))
    finally:
        comm.Barrier()


def test_stopped_inside_a_collective(run):
    """If one rank raises, ranks that wait in a collective are stopped; the next simulation works."""
    with pytest.raises(RankError, match="no more"):
        run(_raises_inside, 5)
    run(_wrong_arguments, 3)
