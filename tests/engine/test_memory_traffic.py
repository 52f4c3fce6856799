"""Computations and messages that share the memory of a host."""

from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import SimulationError
from pysmpi.platform import Cluster

NO_OVERHEADS = dict.fromkeys(("smpi/os", "smpi/or", "smpi/ois"), "0:0:0")
QUIET = {"smpi/simulate-computation": False, "smpi/wtime": 0, "network/crosstraffic": False, **NO_OVERHEADS}
CORE = 12e9  # bytes/s that a rank alone reads and writes
NODE = {"memory_bandwidth": "10GBps", "intra_core": "0:0us:4GBps"}


def run(function: Any, cores: int, *args: Any, **options: Any) -> pysmpi.Result:
    cluster = Cluster(1, cores=cores, speed=1e9, properties=options.pop("properties", NODE))
    cfg = {**QUIET, "smpi/memory-bandwidth": CORE, **options.pop("cfg", {})}
    smpi = options.pop("smpi", False)
    return pysmpi.simulate(function, np=cores, platform=cluster, args=args, smpi=smpi, cfg=cfg, **options)


def compute(flops: float, memory_bytes: float) -> float:
    from mpi4py import MPI

    begin = MPI.Wtime()
    pysmpi.execute_flops(flops, memory_bytes=memory_bytes)
    return MPI.Wtime() - begin


@pytest.mark.parametrize(
    ("ranks", "flops", "memory_bytes", "seconds"),
    [
        (1, 1e9, 0.0, 1.0),
        (1, 1e9, 6e9, 1.0),  # the core decides
        (1, 1e8, 12e9, 1.0),  # the memory of one rank decides
        (4, 1e8, 12e9, 12e9 * 4 / 20e9),  # a memory of 10 GB/s of messages reads and writes 20
        (4, 3e9, 12e9, 3.0),  # 16 of 20 GB/s
        (7, 2e9, 6e9, 6e9 * 7 / 20e9),
    ],
)
def test_a_computation_takes_the_longer_of_core_and_memory(
    ranks: int, flops: float, memory_bytes: float, seconds: float
) -> None:
    result = run(compute, ranks, flops, memory_bytes)
    assert result.values == pytest.approx([seconds] * ranks, rel=1e-9)
    assert result.time_spent.injected == pytest.approx(ranks * seconds, rel=1e-9)


def beside_a_message() -> float:
    """Rank 0 sends 4 GB to rank 1, ranks 2 to 5 read and write 12 GB each."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    buffer = pysmpi.folded_empty((1_000_000_000,), "i4")
    if world.rank == 0:
        world.Send(buffer, 1)
    elif world.rank == 1:
        world.Recv(buffer, 0)
    else:
        pysmpi.execute_flops(0, memory_bytes=12e9)
    return MPI.Wtime()


def test_messages_and_computations_share_the_memory() -> None:
    """Five flows share 10 GB/s: 2 GB/s each until the message's 4 GB have passed, and 4 of the 6 GB of each computation
    (half of the bytes that it reads and writes). The others then share 10 GB/s for their last 2 GB each."""
    result = run(beside_a_message, 6)
    assert result.values[1] == pytest.approx(2.0, rel=1e-6)
    assert result.values[2:] == pytest.approx([2.0 + 2 / 2.5] * 4, rel=1e-6)


def fold(elements: int) -> float:
    from mpi4py import MPI

    a = pysmpi.folded_empty((elements,))
    a += 1.0
    return MPI.Wtime()


def test_operations_on_folded_arrays_share_the_memory() -> None:
    alone, together = (run(fold, ranks, 100_000_000).values[0] for ranks in (1, 8))
    assert together == pytest.approx(alone * 8 * CORE / 20e9, rel=1e-6)


@pytest.mark.parametrize("options", [{"smpi": True}, {"cfg": {"platform/node-model": False}}, {"properties": {}}])
def test_without_a_memory_of_the_node_ranks_share_nothing(options: dict[str, Any]) -> None:
    result = run(compute, 4, 1e8, 12e9, **options)
    assert result.values == pytest.approx([1.0] * 4, rel=1e-9)


def test_computations_between_two_calls_add_up() -> None:
    def several() -> float:
        from mpi4py import MPI

        pysmpi.execute_flops(1e8, memory_bytes=6e9)
        pysmpi.execute_flops(1e9)
        pysmpi.execute_flops(1e8, memory_bytes=6e9)
        MPI.COMM_WORLD.Barrier()
        return MPI.Wtime()

    assert run(several, 1).values[0] == pytest.approx(2.0, rel=1e-9)


def fail() -> None:
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank == 0:
        raise ValueError("a rank ends while another computes")
    pysmpi.execute_flops(0, memory_bytes=1e12)
    MPI.COMM_WORLD.Barrier()


def test_a_run_that_ends_early_leaves_nothing_behind() -> None:
    for _ in range(2):
        with pytest.raises(Exception, match="a rank ends"):
            run(fail, 3)
    assert run(compute, 2, 1e9, 1e9).values == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("amount", [-1.0, float("nan"), float("inf")])
def test_amounts_are_checked(amount: float) -> None:
    with pytest.raises(
        SimulationError,
        match=r"execute_flops\(memory_bytes=\S+\): invalid memory traffic; give a finite number of bytes",
    ):
        pysmpi.execute_flops(1.0, memory_bytes=amount)


def test_many_computations_use_their_places_again() -> None:
    def many() -> float:
        from mpi4py import MPI

        rng = np.random.default_rng(MPI.COMM_WORLD.rank)
        total = 0.0
        for amount in rng.uniform(1e6, 1e7, 200):
            total += amount
            pysmpi.execute_flops(0, memory_bytes=amount)
            MPI.Wtime()
        MPI.COMM_WORLD.Barrier()
        return total

    result = run(many, 4)
    assert result.simulated_time >= sum(result.values) / 20e9
