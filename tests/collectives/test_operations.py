"""Reduction operations: MPI's own on each valid type, and operations of programs."""

import pytest
from collective_choices import RANKS, names


def _predefined():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size

    def total(op, kind):
        """Return the reduction of all ranks' five items, and the items."""
        rng = np.random.default_rng(7)
        if kind == "?":
            items = rng.integers(0, 2, (ranks, 5)).astype(kind)
        elif kind in "FDG":
            items = (rng.integers(-3, 3, (ranks, 5)) + 1j * rng.integers(-3, 3, (ranks, 5))).astype(kind)
        else:
            items = rng.integers(0, 4, (ranks, 5)).astype(kind)
        result = np.empty(5, kind)
        comm.Allreduce(items[rank].copy(), result, op)
        return result, items

    integers, reals, complexes = "bhilqBHILQ", "fdg", "FDG"
    for kind in integers + reals + complexes:
        for op, reference in ((MPI.SUM, np.add), (MPI.PROD, np.multiply)):
            result, items = total(op, kind)
            assert np.array_equal(result, reference.reduce(items, 0, dtype=kind)), (kind, op)
    for kind in integers + reals:
        for op, reference in ((MPI.MAX, np.maximum), (MPI.MIN, np.minimum)):
            result, items = total(op, kind)
            assert np.array_equal(result, reference.reduce(items, 0)), (kind, op)
    for kind in integers + "?":
        for op, reference in ((MPI.LAND, np.logical_and), (MPI.LOR, np.logical_or), (MPI.LXOR, np.logical_xor)):
            result, items = total(op, kind)
            assert np.array_equal(result != 0, reference.reduce(items, 0)), (kind, op)
    for kind in integers:
        for op, reference in ((MPI.BAND, np.bitwise_and), (MPI.BOR, np.bitwise_or), (MPI.BXOR, np.bitwise_xor)):
            result, items = total(op, kind)
            assert np.array_equal(result, reference.reduce(items, 0)), (kind, op)


def _undefined():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    cases = [
        *((op, MPI.DOUBLE) for op in (MPI.LAND, MPI.BAND, MPI.BXOR, MPI.MINLOC)),
        *((op, MPI.C_DOUBLE_COMPLEX) for op in (MPI.MAX, MPI.MIN, MPI.LOR)),
        *((op, MPI.INT) for op in (MPI.MAXLOC, MPI.REPLACE, MPI.NO_OP)),
        (MPI.SUM, MPI.PACKED),
        (MPI.SUM, MPI.C_BOOL),
        (MPI.BAND, MPI.FLOAT16_T),
        (MPI.SUM, MPI.INT.Dup()),
        (MPI.SUM, MPI.DOUBLE_INT),
    ]
    for op, datatype in cases:
        try:
            comm.Allreduce([np.zeros(32, "b"), 1, datatype], [np.zeros(32, "b"), 1, datatype], op)
        except MPI.Exception as error:
            assert error.Get_error_class() == MPI.ERR_OP
            assert "is not defined on" in str(error)
        else:
            raise AssertionError(f"{op} on {datatype.Get_name()} was accepted")


def _locations():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    for kind, datatype in (("f", MPI.FLOAT_INT), ("d", MPI.DOUBLE_INT), ("l", MPI.LONG_INT), ("i", MPI.TWOINT)):
        layout = np.dtype([("value", kind), ("index", "i")], align=True)
        items = np.zeros((ranks, 3), layout)
        items["value"] = (np.arange(ranks)[:, None] * 7 + np.arange(3)) % 4  # ties: the lowest index wins
        items["index"] = np.arange(ranks)[:, None]
        for op, best in ((MPI.MINLOC, np.argmin), (MPI.MAXLOC, np.argmax)):
            result = np.zeros(3, layout)
            comm.Allreduce([items[rank].copy(), 3, datatype], [result, 3, datatype], op)
            winner = best(items["value"], axis=0)
            assert np.array_equal(result["index"], winner)
            assert np.array_equal(result["value"], items["value"][winner, np.arange(3)])


def _bits():
    import zlib

    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    results = []
    for kind in "efdg":
        for count in (1, 3, 8, 100, 3000, 70_000):
            rng = np.random.default_rng([comm.rank, count])
            items = rng.choice(np.array([0.0, -0.0, np.nan, 1.0, 2.0], kind), count)
            for op in (MPI.MIN, MPI.MAX):
                total = np.empty_like(items)
                comm.Allreduce(items, total, op)
                results.append(zlib.crc32(total.astype("d").tobytes()))
    return tuple(results)


def _halves():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    mine = np.array([2048 if comm.rank == 0 else 1, 60_000, np.nan if comm.rank == 2 else 1, 2**-24], "e")
    total = np.empty(4, "e")
    comm.Allreduce(mine, total)
    assert total[0] in (2048, 2050)  # 2049 is rounded to 2048 in each step; the exact sum 2051 would give 2052
    assert total[1] == np.inf
    assert np.isnan(total[2])
    assert total[3] == 2**-22
    exact = np.arange(-1000, 1000).astype("e") / 7
    products = exact.copy()
    MPI.PROD.Reduce_local(exact, products)
    assert np.array_equal(products, exact * exact)
    memory = np.zeros(1, "e")
    window = MPI.Win.Create(memory, comm=comm)
    window.Fence()
    window.Accumulate(mine[:1], 0)
    window.Fence()
    assert comm.rank or memory[0] in (2048, 2050)
    window.Free()


def _in_order():
    import functools

    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    modulus = 97.0

    def product(a, b):
        return np.matmul(a, b) % modulus

    def multiply(left, right, _datatype):
        a = np.frombuffer(left).reshape(-1, 2, 2)
        b = np.frombuffer(right).reshape(-1, 2, 2)
        b[:] = product(a, b)

    given = np.random.default_rng(ranks).integers(0, 97, (ranks, ranks, 2, 2)).astype(float)

    def all_of(matrices):
        return functools.reduce(product, matrices)

    op = MPI.Op.Create(multiply, commute=False)
    assert not op.Is_commutative()
    mine = np.zeros((2, 2))
    for root in sorted({0, ranks // 2, ranks - 1}):
        comm.Reduce(given[rank, 0].copy(), mine, op, root)
        assert rank != root or np.array_equal(mine, all_of(given[:, 0]))
    comm.Allreduce(given[rank, 0].copy(), mine, op)
    assert np.array_equal(mine, all_of(given[:, 0]))
    comm.Scan(given[rank, 0].copy(), mine, op)
    assert np.array_equal(mine, all_of(given[: rank + 1, 0]))
    mine[:] = -1
    comm.Exscan(given[rank, 0].copy(), mine, op)
    assert np.array_equal(mine, all_of(given[:rank, 0]) if rank else np.full((2, 2), -1.0))
    comm.Reduce_scatter_block(given[rank].copy(), mine, op)
    assert np.array_equal(mine, all_of(given[:, rank]))
    counts = [4 if i % 2 == 0 else 0 for i in range(ranks)]
    mine = np.zeros((counts[rank] // 4, 2, 2))
    comm.Reduce_scatter(given[rank, : sum(counts) // 4].copy(), mine, counts, op)
    if counts[rank]:
        assert np.array_equal(mine[0], all_of(given[:, rank // 2]))
    op.Free()


def _many_operations():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD

    def make(factor):
        def combine(left, right, _datatype):
            a, b = np.frombuffer(left), np.frombuffer(right)
            b[:] = a + b + 0 * factor

        return MPI.Op.Create(combine, commute=True)

    operations = [make(factor) for factor in range(5)]
    for op in operations:
        total = np.zeros(2)
        comm.Allreduce(np.array([1.0, comm.rank]), total, op)
        assert list(total) == [comm.size, comm.size * (comm.size - 1) / 2]
        op.Free()


def _local():
    import numpy as np
    from mpi4py import MPI

    left, right = np.array([1, 5, 3], "i"), np.array([4, 2, 3], "i")
    MPI.MAX.Reduce_local(left, right)
    assert list(right) == [4, 5, 3]


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_predefined_operations_on_all_their_types(run, ranks):
    run(_predefined, ranks)


@pytest.mark.parametrize("algorithm", ["default", "rdb"])
@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
def test_minimum_and_maximum_with_location(run, ranks, algorithm):
    """MINLOC and MAXLOC keep the lowest index of equal values, in each pair type's layout."""
    run(_locations, ranks, cfg={"smpi/allreduce": algorithm})


@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
def test_every_rank_has_the_same_bits(run, ranks):
    """Open MPI orders operands alike on all ranks, so that minima with NaN and zeros of both signs agree."""
    assert len(set(run(_bits, ranks).values)) == 1


def test_sums_of_half_precision_round_in_each_step(run):
    run(_halves, 4)


def test_undefined_pairs_are_errors(run):
    """An operation on an invalid type is MPI_ERR_OP with a text, and moves no data."""
    run(_undefined, 2)


REDUCTIONS = ("reduce", "allreduce", "reduce_scatter", "scan", "exscan")


@pytest.mark.parametrize(
    "setting", [f"{operation}:{name}" for operation in REDUCTIONS for name in ["default", *names(operation)]]
)
@pytest.mark.parametrize("ranks", RANKS)
def test_operations_that_do_not_commute_keep_their_order(run, ranks, setting):
    """A product of matrices is computed in rank order, whatever the algorithm."""
    operation, name = setting.split(":")
    run(_in_order, ranks, cfg={f"smpi/{operation}": name})


def test_a_hundred_ranks_with_five_operations_each(run):
    """mpi4py's slots do not limit the operations of programs."""
    run(_many_operations, 100)


def test_local_reduction(run):
    run(_local, 1)
