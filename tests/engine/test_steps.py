"""MPI calls in which a rank blocks several times while other ranks' greenlets are current."""

from collections.abc import Callable

import numpy as np
import pytest

import pysmpi
from pysmpi.native import lib
from pysmpi.platform import Cluster

RANKS, ROUNDS = 8, 20

# Overheads before a send and after a receive, and the locks of mailboxes that SMPI takes for eager messages.
COSTLY = (
    "smpi/simulate-computation:no",
    "smpi/os:0:1e-7:0",
    "smpi/ois:0:1e-7:0",
    "smpi/or:0:2e-7:0",
    "smpi/async-small-thresh:65536",
)


def sendrecv() -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    got = np.empty(4)
    comm.Sendrecv(np.full(4, float(comm.rank)), (comm.rank + 1) % comm.size, 1, got, (comm.rank - 1) % comm.size, 1)
    assert got[0] == (comm.rank - 1) % comm.size


def send_and_receive() -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    got, status = np.empty(4), MPI.Status()
    comm.Send(np.full(4, float(comm.rank)), (comm.rank + 1) % comm.size, comm.rank)
    comm.Recv(got, MPI.ANY_SOURCE, MPI.ANY_TAG, status)
    assert got[0] == status.source == status.tag == (comm.rank - 1) % comm.size


def wait_for_all() -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    others = [other for other in range(comm.size) if other != comm.rank]
    got = np.empty((comm.size, 4))
    requests = [comm.Irecv(got[other], other) for other in others]
    requests += [comm.Isend(np.full(4, float(comm.rank)), other) for other in others]
    MPI.Request.Waitall(requests)
    assert [got[other][0] for other in others] == others


@pytest.mark.parametrize(("call", "most"), [(sendrecv, 1), (send_and_receive, 2), (wait_for_all, 15)])
def test_a_call_switches_to_its_rank_once(call: Callable[[], None], most: int) -> None:
    """An Irecv, an Isend and a Waitall are a call each."""

    def program() -> int:
        from mpi4py import MPI

        begun = lib.pysmpi_switch_count()
        for _ in range(ROUNDS):
            call()
        MPI.COMM_WORLD.Barrier()
        return lib.pysmpi_switch_count() - begun

    result = pysmpi.simulate(program, np=RANKS, platform=Cluster(RANKS), cfg=COSTLY)
    assert max(result.values) <= (most * ROUNDS + 3) * RANKS


@pytest.mark.parametrize("call", [sendrecv, send_and_receive, wait_for_all])
def test_observers_change_no_time(call: Callable[[], None]) -> None:
    """An observed rank continues in its own greenlet at each step."""

    def program() -> float:
        from mpi4py import MPI

        for _ in range(3):
            call()
        return MPI.Wtime()

    def times(profile: bool) -> list[float]:
        return pysmpi.simulate(program, np=RANKS, platform=Cluster(RANKS), cfg=COSTLY, profile=profile).values

    assert times(profile=False) == times(profile=True)
