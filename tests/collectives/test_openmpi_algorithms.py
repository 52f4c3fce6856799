"""Algorithms of Open MPI that SMPI lacks: chains from the root, and a barrier whose last message is acknowledged."""

import numpy as np
import pytest

import pysmpi

CFG = {"smpi/simulate-computation": False, "smpi/wtime": 0, "smpi/os": "0:0:0", "smpi/or": "0:0:0",
       "smpi/ois": "0:0:0", "smpi/coll-selector": "openmpi-4.1"}  # fmt: skip
LATENCY = 3e-6  # seconds of an empty message from a host to another one


def run(program: object, ranks: int, **cfg: str) -> pysmpi.Result:
    return pysmpi.simulate(
        program,  # type: ignore[arg-type]
        np=ranks,
        platform=f"flat:{ranks}:bw=1GBps:lat=1.5us",
        fabric="neutral",
        cfg=CFG | {f"smpi/{name}": value for name, value in cfg.items()},
    )


def broadcast_a_megabyte() -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    buffer = np.full(1_000_000, world.rank == 3, "b")
    world.Bcast(buffer, root=3)
    assert buffer.all()
    return MPI.Wtime()


@pytest.mark.parametrize(("chains", "longest"), [(1, 7), (2, 4), (3, 3), (4, 2), (7, 1), (9, 1)])
def test_the_root_sends_to_chains(chains: int, longest: int) -> None:
    """The root's cable carries a megabyte for each chain; then the longest chain passes it on."""
    result = run(broadcast_a_megabyte, 8, bcast=f"chains-{chains}")
    children = min(chains, 7)
    assert result.simulated_time == pytest.approx(1e-3 * (children + longest - 1) + LATENCY * longest, rel=1e-3)


def leave_a_barrier() -> float:
    from mpi4py import MPI

    MPI.COMM_WORLD.Barrier()
    return MPI.Wtime()


@pytest.mark.parametrize(("algorithm", "first"), [("ompi_recursivedoubling", 2), ("openmpi_recursivedoubling", 4)])
def test_the_last_message_of_a_barrier_is_acknowledged(algorithm: str, first: int) -> None:
    """Ranks 0 and 1 tell 4 and 5 that the barrier ends. With Open MPI, they wait for the answer.

    Ranks 0 and 1 hear from 4 and 5 at 1, from each other at 2, and then have the messages that 2 and 3 sent at 1. These
    hear from 0 and 1 at 3. Sends are eager.
    """
    times = np.array(run(leave_a_barrier, 6, barrier=algorithm).values) / LATENCY
    assert times == pytest.approx([first, first, 3, 3, 3, 3], rel=0.01)


def test_open_mpi_chooses_the_acknowledged_barrier() -> None:
    default = run(leave_a_barrier, 12).values
    assert default == run(leave_a_barrier, 12, barrier="openmpi_recursivedoubling").values
    assert default != run(leave_a_barrier, 12, barrier="ompi_recursivedoubling").values


def exchange_with_open_mpi_40() -> float:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    for count in (2_000, 10_000):  # 8,000 and 40,000 bytes
        world.Allreduce(np.ones(count, "f"), np.zeros(count, "f"))
    for count in (6_000, 7_000):  # 48,000 and 56,000 bytes of all ranks
        world.Allgather(np.ones(count, "b"), np.zeros(8 * count, "b"))
    for count in (2_999, 3_000):
        world.Alltoall(np.ones(8 * count, "b"), np.zeros(8 * count, "b"))
    return MPI.Wtime()


def test_open_mpi_40_chooses_by_its_own_rules() -> None:
    """8 ranks send 8·3 + 8·14 messages in allreduces, 8·3 + 8·4 in allgathers, 8·7 in an alltoall."""
    chosen = {"coll-selector": "openmpi-4.0"}
    counters = run(exchange_with_open_mpi_40, 8, **chosen).counters
    assert counters.messages == 24 + 112 + 24 + 32 + 56 + 56
    other = run(exchange_with_open_mpi_40, 8, **{"coll-selector": "openmpi-4.1"}).counters
    assert other.messages != counters.messages
