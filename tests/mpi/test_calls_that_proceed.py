"""Blocking calls that go on while their rank stays blocked take as long as those that an observer sees step by step."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi

CFG = {"smpi/simulate-computation": False, "smpi/wtime": 0}
SIZES = (0, 1, 7, 1_000, 8_192, 70_000, 400_000)
Step = tuple[str, int, int, float]


def act(steps: list[Step], reduces: bool) -> tuple[list[float], int]:
    """Execute steps (kind, distance of the partner, size, flops), and return the time after each and a sum of bytes."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    times, total = [], 0
    operation = MPI.Op.Create(lambda left, right, _type: None)
    for turn, (kind, distance, size, flops) in enumerate(steps):
        pysmpi.execute_flops(flops * (rank + 1))
        part, whole = np.ones(3), np.zeros(3)  # kept here, because mpi4py does not keep a collective's buffers
        request = comm.Ireduce(part, whole, operation) if reduces else MPI.REQUEST_NULL
        to, source = (rank + distance) % ranks, (rank - distance) % ranks
        out, into = np.full(size, rank % 100, "b"), np.zeros(size, "b")
        if kind == "nobody":
            to, source = (MPI.PROC_NULL if rank % 2 else to), (MPI.PROC_NULL if source % 2 else source)
        if kind == "replace":
            comm.Sendrecv_replace(out, to, turn, source, turn)
            into = out
        elif kind == "pair" and distance % ranks:
            waiting = comm.Isend(out, to, turn)
            comm.Recv(into, source, turn)
            waiting.Wait()
        elif kind == "all":
            parts = [comm.Irecv(into, source, turn), comm.Isend(out, to, turn), comm.Isend(out, to, turn + 100)]
            parts.append(comm.Irecv(np.zeros(size, "b"), source, turn + 100))
            MPI.Request.Waitall(parts)
        elif kind == "send" and distance % ranks:
            waiting = comm.Irecv(into, source, turn)
            comm.Send(out, to, turn)
            waiting.Wait()
        elif kind == "any":
            comm.Sendrecv(out, to, turn, into, MPI.ANY_SOURCE, turn)
        else:
            comm.Sendrecv(out, to, turn, into, source, turn)
        total += int(into.sum())
        request.Wait()
        times.append(MPI.Wtime())
    return times, total


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["exchange", "replace", "nobody", "pair", "all", "send", "any"]),
        st.integers(0, 5),
        st.sampled_from(SIZES),
        st.sampled_from([0.0, 1e3, 1e6]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(
    STEPS,
    st.integers(1, 6),
    st.sampled_from(["openmpi-5.0", "mpich-4", "smpi"]),
    st.sampled_from(["flat:6", "flat:2:cores=3"]),
    st.booleans(),
)
def test_times_are_those_that_an_observer_sees(
    steps: list[Step], ranks: int, mpi: str, platform: str, reduces: bool
) -> None:
    """An observer lets a call return to its rank between any two of its waits."""
    chosen: dict[str, Any] = {"smpi": False, "mpi": mpi, "fabric": "infiniband-hdr"}
    seen, unseen = (
        pysmpi.simulate(act, np=ranks, platform=platform, cfg=CFG, args=(steps, reduces), profile=observed, **chosen)
        for observed in (True, False)
    )
    assert unseen.values == seen.values
    assert unseen.simulated_time == seen.simulated_time


def exchange(turns: int) -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    out, into = np.zeros(100), np.zeros(100)
    for _ in range(turns):
        comm.Sendrecv(out, (comm.rank + 1) % comm.size, 0, into, (comm.rank - 1) % comm.size, 0)


def test_an_exchange_switches_to_its_rank_once() -> None:
    """The overheads of send and receive need no switches of their own."""
    chosen: dict[str, Any] = {"smpi": False, "fabric": "infiniband-hdr"}
    few, many = (
        pysmpi.simulate(exchange, np=4, platform="flat:4", cfg=CFG, args=(turns,), **chosen).counters.switches
        for turns in (10, 110)
    )
    assert many - few == pytest.approx(4 * 100, rel=0.05)
