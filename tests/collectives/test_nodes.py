"""Collectives that consider nodes give correct results for any placement of ranks."""

import pytest
from collective_choices import names

from pysmpi.simulation.experiments.compare_collectives import COMPARED

LAYOUTS = {
    "three-a-node": [rank // 3 for rank in range(12)],
    "last-node-smaller": [rank // 4 for rank in range(11)],
    "dealt-round": [rank % 4 for rank in range(12)],
    "dealt-unevenly": [0, 1, 0, 2, 0, 1, 3],
    "one-node": [0] * 6,
}
COUNTS = [0, 1, 3, 13, 300, 5000, 20_000]
BY_NODES = ("two_level", "smp", "SMP", "loosely_lr", "multilane", "intra_node", "inter_node")


def _by_nodes(*operations):
    return [f"{op}:{name}" for op in operations for name in names(op) if any(part in name for part in BY_NODES)]


def _totals(counts, order=1):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Split(0, order * MPI.COMM_WORLD.rank)
    rank, ranks = comm.rank, comm.size
    add = MPI.Op.Create(lambda a, b, _: np.add(np.frombuffer(a), np.frombuffer(b), out=np.frombuffer(b)), commute=True)
    for count in counts:
        given = np.random.default_rng([ranks, count]).integers(-99, 99, (ranks, count)).astype(float)
        for op in (MPI.SUM, add):
            total = np.full(count, np.nan)
            comm.Allreduce(given[rank].copy(), total, op)
            assert np.array_equal(total, given.sum(0))
            for root in range(ranks):
                total = np.full(count, np.nan) if rank == root else None
                comm.Reduce(given[rank].copy(), total, op, root)
                assert rank != root or np.array_equal(total, given.sum(0))
    add.Free()

    def join(a, b, _):
        """Combine two runs of ranks into one, if the second follows the first."""
        left, right = np.frombuffer(a).reshape(-1, 2), np.frombuffer(b).reshape(-1, 2)
        right[:, 0] = np.where(left[:, 1] + 1 == right[:, 0], left[:, 0], np.nan)

    runs = MPI.Op.Create(join, commute=False)
    pair = MPI.DOUBLE.Create_contiguous(2).Commit()
    for count in counts:
        mine, total = np.full((count, 2), float(rank)), np.full((count, 2), np.nan)
        comm.Allreduce([mine, count, pair], [total, count, pair], runs)
        assert np.array_equal(total, np.tile([0.0, ranks - 1.0], (count, 1)))
        comm.Reduce([mine, count, pair], [total, count, pair], runs, ranks - 1)
        assert rank != ranks - 1 or np.array_equal(total, np.tile([0.0, ranks - 1.0], (count, 1)))
    pair.Free()
    runs.Free()


def _moves(counts, order=1):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Split(0, order * MPI.COMM_WORLD.rank)
    rank, ranks = comm.rank, comm.size
    for count in counts:
        given = np.random.default_rng([ranks, count]).random((ranks, count))
        gathered = np.full((ranks, count), np.nan)
        comm.Allgather(given[rank].copy(), gathered)
        assert np.array_equal(gathered, given)
        for root in range(ranks):
            at_root = rank == root
            gathered = np.full((ranks, count), np.nan) if at_root else None
            comm.Gather(given[rank].copy(), gathered, root)
            assert not at_root or np.array_equal(gathered, given)
            gathered = np.where(np.arange(ranks)[:, None] == rank, given, np.nan) if at_root else None
            comm.Gather(MPI.IN_PLACE if at_root else given[rank].copy(), gathered, root)
            assert not at_root or np.array_equal(gathered, given)
            mine = np.full(count, np.nan)
            comm.Scatter(given.copy() if at_root else None, mine, root)
            assert np.array_equal(mine, given[rank])
            everywhere = given[root].copy() if at_root else np.full(count, np.nan)
            comm.Bcast(everywhere, root)
            assert np.array_equal(everywhere, given[root])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "setting",
    _by_nodes("reduce", "allreduce"),
)
def test_reductions_by_nodes(run, setting, layout):
    """Nodes have one size or several, with consecutive ranks or not."""
    operation, name = setting.split(":")
    run(_totals, len(LAYOUTS[layout]), COUNTS, cfg={f"smpi/{operation}": name}, nodes=LAYOUTS[layout])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("setting", _by_nodes("bcast", "gather", "scatter", "allgather"))
def test_moves_by_nodes(run, setting, layout):
    """Blocks arrive in the order of ranks, whatever their order on nodes."""
    operation, name = setting.split(":")
    run(_moves, len(LAYOUTS[layout]), COUNTS, cfg={f"smpi/{operation}": name}, nodes=LAYOUTS[layout])


def test_algorithms_by_nodes_within_each_other(run):
    """Within a node no further nodes exist; the algorithm chosen for the whole is also valid there."""
    cfg = {"smpi/allgather": "mvapich2_smp", "smpi/gather": "mvapich2_two_level", "smpi/bcast": "mvapich2_intra_node"}
    run(_moves, 12, [0, 1, 300], cfg=cfg, nodes=LAYOUTS["three-a-node"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reductions_by_nodes_within_each_other(run, layout):
    cfg = {"smpi/allreduce": "multilane", "smpi/reduce": "mvapich2_two_level", "smpi/reduce_scatter": "default"}
    run(_totals, len(LAYOUTS[layout]), COUNTS, cfg=cfg, nodes=LAYOUTS[layout])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("selector", COMPARED)
def test_ranks_in_the_reverse_order_of_their_processes(run, selector, layout):
    """Libraries differ in the order of nodes: SMPI takes world ranks, Open MPI and MPICH ranks of the communicator."""
    for program in (_totals, _moves):
        run(program, len(LAYOUTS[layout]), [0, 1, 300], -1, cfg={"smpi/coll-selector": selector}, nodes=LAYOUTS[layout])
