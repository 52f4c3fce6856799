"""Reductions that go by nodes give the right results, however ranks lie on nodes."""

import pytest
from collective_choices import names

LAYOUTS = {
    "three-a-node": [rank // 3 for rank in range(12)],
    "last-node-smaller": [rank // 4 for rank in range(11)],
    "dealt-round": [rank % 4 for rank in range(12)],
    "dealt-unevenly": [0, 1, 0, 2, 0, 1, 3],
    "one-node": [0] * 6,
}
COUNTS = [0, 1, 3, 13, 300, 5000]
BY_NODES = ("two_level", "smp")


def _totals(counts):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
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


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "setting",
    [f"{op}:{name}" for op in ("reduce", "allreduce") for name in names(op) if any(part in name for part in BY_NODES)],
)
def test_reductions_by_nodes(run, setting, layout):
    """Nodes of one size or several, ranks that follow one another on them or not."""
    operation, name = setting.split(":")
    run(_totals, len(LAYOUTS[layout]), COUNTS, cfg={f"smpi/{operation}": name}, nodes=LAYOUTS[layout])
