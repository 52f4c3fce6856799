"""Selectors: all their choices give correct results, with one rank per node or several."""

import pytest
from collective_choices import RANKS
from test_results import _by_vectors, _rooted, _unrooted

from pysmpi.errors import DeadlockError
from pysmpi.simulation.experiments.compare_collectives import COMPARED

PLACES = {
    "a rank a node": lambda rank, ranks: rank,
    "nodes of four": lambda rank, ranks: rank // 4,
    "round the nodes": lambda rank, ranks: rank % max(1, ranks // 4),
    "uneven nodes": lambda rank, ranks: int(rank**0.5),
    "one node": lambda rank, ranks: 0,
}


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("selector", COMPARED)  # test_best.py covers the remaining one
@pytest.mark.parametrize("ranks", RANKS)
def test_results_are_right(run, ranks, selector, places):
    """Lengths of all operations lie on either side of the tables' limits."""
    nodes = [PLACES[places](rank, ranks) for rank in range(ranks)]
    cfg = {"smpi/coll-selector": selector}
    run(_rooted, ranks, [0, 1, 300, 20_000], cfg=cfg, nodes=nodes)
    run(_unrooted, ranks, [0, 1, 300, 20_000 // ranks], cfg=cfg, nodes=nodes)
    run(_by_vectors, ranks, 500, cfg=cfg, nodes=nodes)


def _one_dies(victim):
    import os
    import signal

    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    comm.Set_errhandler(MPI.ERRORS_RETURN)
    if comm.rank == victim:
        os.kill(os.getpid(), signal.SIGKILL)
    failed = []
    for operation in ("Allreduce", "Iallreduce"):
        mine, total = (
            np.ones(30_000),
            np.zeros(30_000),
        )  # named: mpi4py 4.1.2's Iallreduce does not keep references to them
        try:
            request = getattr(comm, operation)(mine, total)
            if request is not None:
                request.Wait()
        except MPI.Exception as error:
            failed.append(error.Get_error_class() == 101)
    return failed


@pytest.mark.parametrize("selector", COMPARED)
@pytest.mark.parametrize("victim", [2, 3])
def test_nobody_is_told_that_all_is_well_without_a_rank_that_has_failed(run, victim, selector):
    """On nodes of two ranks, of which one has failed, MPIX_ERR_PROC_FAILED reaches all through both levels."""
    nodes = [rank // 2 for rank in range(8)]
    values = run(_one_dies, 8, victim, cfg={"smpi/coll-selector": selector}, nodes=nodes).values
    assert [values[rank] for rank in range(8) if rank != victim] == [[True, True]] * 7


def _leaves_a_thread_behind():
    import threading

    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD

    def reduce():
        for _ in range(20):
            comm.Allreduce(np.ones(60_000), np.zeros(60_000))

    thread = threading.Thread(target=reduce, daemon=True)
    thread.start()
    if comm.rank == 2:
        pysmpi.sleep(0.003)
    else:
        thread.join()


def test_a_thread_that_is_stopped_within_both_levels(run):
    """The collective's activities stop when its memory is freed (`make sanitize` would report them)."""
    nodes = [rank // 2 for rank in range(8)]
    with pytest.raises(DeadlockError, match="MPI_Allreduce"):
        run(_leaves_a_thread_behind, 8, cfg={"smpi/coll-selector": "openmpi-5.0"}, nodes=nodes)
