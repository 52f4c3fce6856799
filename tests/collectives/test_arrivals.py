"""Broadcasts that serve ranks in the order of their arrival."""

import pytest

from pysmpi.errors import DeadlockError

ALGORITHMS = ["arrival_pattern_aware", "arrival_pattern_aware_wait", "arrival_scatter"]


def _staggered(count, root, step):
    import time

    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    for turn in range(3):
        comm.Barrier()
        buffer = np.arange(count) + turn if comm.rank == root else np.full(count, -1)
        time.sleep(step * (comm.rank * 7 % comm.size))
        comm.Bcast(buffer, root)
        assert np.array_equal(buffer, np.arange(count) + turn)
    return MPI.Wtime()


@pytest.mark.parametrize("step", [0, 1.37e-4, 0.011])
@pytest.mark.parametrize("count", [0, 5, 1024, 5003])
@pytest.mark.parametrize("ranks", [2, 5, 12])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_ranks_enter_one_after_the_other(run, name, ranks, count, step):
    """All ranks get the data, and leftovers of one broadcast do not disturb the next."""
    for root in (0, ranks // 2):
        run(_staggered, ranks, count, root, step, cfg={"smpi/bcast": name})


def _one_late(late):
    import time

    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    elapsed = []
    for _turn in range(3):
        comm.Barrier()
        if comm.rank == comm.size - 1:
            time.sleep(late)
        begin = MPI.Wtime()
        comm.Bcast(np.zeros(10), 0)
        elapsed.append(MPI.Wtime() - begin)
    return elapsed


def test_rank_0_does_not_wait_for_who_is_late(run):
    """A short message goes to a rank that has not entered yet; others wait for it."""
    results = [run(_one_late, 6, 1.0, cfg={"smpi/bcast": name}) for name in ALGORITHMS]
    unasked, *waiting = [result.values[0] for result in results]
    assert max(unasked) < 0.1
    assert unasked[2] == pytest.approx(unasked[1], rel=1e-6), "the second has left nothing behind for the third"
    assert all(min(times) > 0.9 for times in waiting)
    assert all(max(times) == pytest.approx(1, rel=2e-4) for times in waiting), "polls become longer, but little"
    assert max(result.counters.failed_probes for result in results) < 400_000  # a second has 4 million first polls


def _one_missing():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == comm.size - 1:
        comm.Recv(np.zeros(1), 0)
    else:
        comm.Bcast(np.zeros(10), 0)


@pytest.mark.parametrize("name", ALGORITHMS[1:])
def test_polling_for_who_never_enters_is_a_deadlock(run, name):
    with pytest.raises(DeadlockError):
        run(_one_missing, 4, cfg={"smpi/bcast": name})


@pytest.mark.parametrize("name", ALGORITHMS)
def test_no_message_leaves_before_it_is_received(run, name):
    """The algorithms also end if every send waits for its receive."""
    cfg = {"smpi/bcast": name, "smpi/send-is-detached-thresh": 0, "smpi/async-small-thresh": 0}
    run(_staggered, 5, 1024, 1, 1.37e-4, cfg=cfg)


@pytest.mark.smpi
@pytest.mark.parametrize("name", ALGORITHMS)
def test_polls_that_cost_nothing(run, name):
    """Time advances even if a poll takes none, and results equal those of polls that take almost none."""
    free, cheap = (
        run(_staggered, 6, 100_000, 0, 1.37e-4, cfg={"smpi/bcast": name, "smpi/iprobe": cost}).values
        for cost in (0, 1e-15)
    )
    assert free == pytest.approx(cheap, rel=1e-4)


def _in_whole_segments_and_a_rest(count):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    comm.Barrier()
    buffer = np.arange(count) if comm.rank == 1 else np.full(count, -1)
    comm.Bcast(buffer, 1)
    assert np.array_equal(buffer, np.arange(count))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_rest_is_not_mistaken_for_a_segment(run, name):
    """Rank 0 broadcasts the rest while other ranks still wait for the whole segments from any rank."""
    run(_in_whole_segments_and_a_rest, 5, 1025, cfg={"smpi/bcast": name})
