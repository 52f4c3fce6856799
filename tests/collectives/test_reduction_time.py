"""Time that the combinations of reductions take (smpi/reduction-bandwidth)."""

import numpy as np
import pytest

import pysmpi

BYTES = 1 << 20
BANDWIDTH = 1e9
COMBINED = BYTES / BANDWIDTH  # seconds of one combination of two whole operands


def reduce_once(kind: str) -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    given, taken = np.ones(BYTES // 8), np.zeros(BYTES // 8)
    world.Barrier()
    begun = MPI.Wtime()
    if kind == "allreduce":
        world.Allreduce(given, taken)
    elif kind == "iallreduce":
        world.Iallreduce(given, taken).Wait()
    elif kind == "reduce":
        world.Reduce(given, taken)
    elif kind == "scan":
        world.Scan(given, taken)
    elif kind == "user":
        operation = MPI.Op.Create(lambda a, b, datatype: None, commute=True)
        world.Allreduce(given, taken, operation)
        operation.Free()
    else:
        each = given.size // world.size
        world.Reduce_scatter_block(given[: each * world.size], taken[:each])
    if kind in ("allreduce", "iallreduce"):
        assert (taken == world.size).all()
    return MPI.Wtime() - begun


def seconds(kind: str, ranks: int, bandwidth: float, **algorithms: str) -> float:
    cfg = {f"smpi/{operation}": name for operation, name in algorithms.items()}
    cfg |= {"smpi/simulate-computation": "no", "smpi/reduction-bandwidth": bandwidth}
    cfg["smpi/nonblocking-collectives"] = "blocking"
    run = pysmpi.simulate(reduce_once, np=ranks, platform=f"flat:{ranks}", args=(kind,), cfg=cfg)
    return max(run.values)


@pytest.mark.parametrize(
    ("kind", "ranks", "algorithms", "combinations"),
    [
        ("allreduce", 8, {"allreduce": "rdb"}, 3),  # recursive doubling: one for each of log2(8) rounds
        ("iallreduce", 8, {"allreduce": "rdb"}, 3),
        ("allreduce", 6, {"allreduce": "rdb"}, 3),  # 6 ranks: two of them first fold into four
        ("allreduce", 8, {"allreduce": "lr"}, 7 / 8),  # ring: all but one eighth of the vector, piece by piece
        ("reduce", 5, {"reduce": "flat_tree"}, 4),  # the root combines all others
        ("allreduce", 1, {"allreduce": "rdb"}, 0),
    ],
)
def test_each_combination_takes_its_time(
    kind: str, ranks: int, algorithms: dict[str, str], combinations: float
) -> None:
    without, with_time = (seconds(kind, ranks, bandwidth, **algorithms) for bandwidth in (0, BANDWIDTH))
    assert with_time - without == pytest.approx(combinations * COMBINED, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("kind", ["scan", "reduce_scatter_block", "reduce"])
@pytest.mark.parametrize("ranks", [2, 7])
def test_all_reductions_take_time(kind: str, ranks: int) -> None:
    without, with_time = (seconds(kind, ranks, bandwidth) for bandwidth in (0, BANDWIDTH))
    assert with_time > without + 0.4 * COMBINED


def test_reductions_take_time_beside_the_overheads_of_calls() -> None:
    ours = {"mpi": "openmpi-5.0", "smpi/allreduce": "rdb", "smpi/simulate-computation": "no"}
    runs = [
        pysmpi.simulate(reduce_once, np=8, platform="flat:8", args=("allreduce",), cfg=ours | more)
        for more in ({"smpi/reduction-bandwidth": 0}, {"smpi/reduction-bandwidth": BANDWIDTH})
    ]
    without, with_time = (max(run.values) for run in runs)
    assert with_time - without == pytest.approx(3 * COMBINED, rel=1e-3)


def test_operations_of_the_program_take_as_long_as_predefined_ones() -> None:
    took = seconds("user", 4, BANDWIDTH) - seconds("user", 4, 0)
    assert took > 0
    assert took == pytest.approx(seconds("user", 4, BANDWIDTH / 2) - seconds("user", 4, BANDWIDTH))
