"""Conditions of a run in plain words."""

from typing import Any

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.launch.summary import summary

FREE = {"smpi/simulate-computation": "no"}


def program(seconds: float) -> None:
    """Compute a declared time, then wait for the other rank."""
    pysmpi.execute(seconds)
    MPI.COMM_WORLD.Bcast(bytearray(10**6))


def lines(seconds: float, cfg: Any, **more: Any) -> tuple[str, ...]:
    result = pysmpi.simulate(program, np=2, platform=Cluster(4, speed=2e9, **more), cfg=cfg, args=(seconds,))
    assert summary(result, verbose=True).endswith("".join(f"\npysmpi: {line}" for line in result.conditions))
    return result.conditions


@pytest.mark.smpi
def test_a_run_without_measured_computation() -> None:
    conditions, trust = lines(1.0, FREE)
    assert conditions.startswith("conditions: 2 of 4 hosts of 2 Gflop/s a core in ")
    assert "; MPI as smpi; network model SMPI (network/optim:Lazy), fabric smpi; " in conditions
    assert "computation declared by the program" in conditions and "taken as zero time" in conditions
    assert trust == (
        "how far to trust it: two runs are equal to the bit; "
        "code that is taken as zero time makes the program look faster"
    )


def test_the_network_decides() -> None:
    assert lines(0.0, FREE)[1].endswith("the network's factors were not measured on this platform")
    given = lines(0.0, {**FREE, "smpi/bw-factor": "0:1", "smpi/lat-factor": "0:1"})
    assert "with given factors" in given[0] and "not measured" not in given[1]


def test_measured_computation() -> None:
    def busy() -> None:
        sum(range(100_000))
        MPI.COMM_WORLD.Barrier()
        sum(range(100_000))

    result = pysmpi.simulate(busy, np=1, platform=Cluster(1), cfg={"smpi/host-speed": "2Gf"})
    assert "code measured, scaled from 2Gf" in result.conditions[0]
    assert "measured times vary between runs" in result.conditions[1]
    assert pysmpi.simulate(lambda: None, np=1, platform=Cluster(1), cfg=FREE).conditions == ()
