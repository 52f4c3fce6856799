"""The choice between single flows and groups of flows in whole simulations, and what needs single flows."""

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster

RANKS = 300
CFG = {"smpi/simulate-computation": "no", "network/optim": "Full"}


def incast() -> float:
    """Send from all ranks to the first one, three times and at many dates, and return the time."""
    world = MPI.COMM_WORLD
    for turn in range(3):
        pysmpi.execute(1e-6 * (world.rank * 7 % 60))
        if world.rank > 0:
            world.Isend(bytearray(20_000 + 100 * (world.rank % 9)), 0, turn).Wait()
        else:
            buffers = [bytearray(30_000) for _ in range(RANKS - 1)]
            MPI.Request.Waitall([world.Irecv(buffer, tag=turn) for buffer in buffers])
    return MPI.Wtime()


def simulate(**more: object) -> pysmpi.Result:
    return pysmpi.simulate(incast, np=RANKS, platform=Cluster(RANKS), cfg=CFG, **more)  # type: ignore[arg-type]


def test_observed_flows_take_the_same_time() -> None:
    """Observers see every change of a rate, so observed flows are not in groups."""
    plain, observed = simulate(), simulate(profile=True)
    assert plain.values == pytest.approx(observed.values, rel=1e-9)
    assert plain.counters.flows_touched < observed.counters.flows_touched / 4
    again = simulate()
    assert again.values == plain.values
