"""The choice between single flows and groups of flows in whole simulations, and what needs single flows."""

import pytest
from mpi4py import MPI
from native_network import NativeNetwork, set_number

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


def test_many_flows_in_waves() -> None:
    """The change of thousands of flows to groups pays where each later wave would touch all of them."""
    flows, waves = 6_000, 60
    set_number("network/optim", 1)
    network = NativeNetwork()
    shared = network.add_link(1e9)
    for number in range(flows):
        network.start([network.add_link(1e9), shared], [], 1e-4 * (1 + number % waves), 1e5 + number % 7)
    left = flows
    while left > 0:
        network.now = network.next_event()
        left -= len(network.settle())
    assert network.now == pytest.approx(1e-4 + flows * (1e5 + 3) / 1e9, rel=1e-3)
    assert network.counters()["flows_touched"] < 4 * flows
