"""Remarks on what-if tables, and the agreement of what-if runs with runs on the other machine."""

from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.experiments.variation import Variation
from pysmpi.experiments.what_if_remarks import remarks
from pysmpi.platform import Cluster

CFG = {"smpi/simulate-computation": "no", "smpi/wtime": "0"}


def stencil() -> None:
    """Move memory, compute products, and exchange a message."""
    world = MPI.COMM_WORLD
    grid = pysmpi.folded_empty((1000, 1000))
    grid += 1.0
    pysmpi.execute_flops(1e7)
    world.Sendrecv(np.zeros(1000), world.rank ^ 1, recvbuf=np.empty(1000), source=world.rank ^ 1)


def machine(speed: float, bandwidth: float = 1e9, memory: str = "10e9") -> Cluster:
    properties = {"memory-bandwidth": memory}
    return Cluster(2, speed=speed, bandwidth=bandwidth, latency=1e-6, properties=properties)


def direct(platform: Cluster) -> float:
    return pysmpi.simulate(stencil, np=2, platform=platform, cfg=CFG).simulated_time


@pytest.mark.parametrize(
    ("switch", "other"),
    [
        ("speed*2", machine(2e10)),
        ("bandwidth*4", machine(1e10, 4e9)),
        ("memory*2", machine(1e10, memory="20e9")),
        ("hosts*2 memory*2", machine(2e10, memory="20e9")),
    ],
)
def test_a_switch_gives_the_time_of_the_other_machine(switch: str, other: Cluster) -> None:
    found = pysmpi.what_if(stencil, [switch], np=2, platform=machine(1e10), cfg=CFG)
    assert found[switch].simulated_time == pytest.approx(direct(other), rel=1e-12)
    assert direct(other) < direct(machine(1e10))


def run(switch: str, time: float, **more: Any) -> Variation:
    return Variation(switch, time, 0.0, **more)


def test_the_sentence_names_what_bounds_the_program() -> None:
    lines = remarks([run("as it is", 1.0), run("speed*2", 0.52), run("bandwidth*2", 0.98), run("latency/2", 1.0)])
    assert lines == [
        "latency/2: no effect, the time is the same to nine digits",
        "nodes twice as fast: 1.92 times; links twice as fast: 1.02 times; latency halved: 1.00 times; "
        "the program is bound by the speed of its nodes",
    ]
    (line,) = remarks([run("as it is", 1.0), run("memory*2", 0.9), run("bandwidth*4", 0.8)])
    assert "none of these takes half of the time" in line
    assert remarks([run("as it is", 1.0), run("bcast=flattree", 0.5)]) == []


def test_more_nodes_are_counted_and_bound_nothing() -> None:
    base = run("as it is", 1.0, ranks=16, nodes=16)
    more, fewer = run("nodes*2", 0.62, ranks=32, nodes=32), run("nodes/16", 9.0, ranks=1, nodes=1)
    assert remarks([base, more, fewer]) == [
        "nodes*2: 32 ranks on 32 nodes instead of 16 on 16",
        "nodes/16: 1 rank on 1 node instead of 16 on 16",
        "twice as many nodes: 1.61 times; 0.0625 times as many nodes: 0.11 times",
    ]
    lines = remarks([base, more, run("links*2", 0.9)])
    assert lines[-1] == (
        "twice as many nodes: 1.61 times; links twice as fast: 1.11 times; "
        "none of these takes half of the time: the program is bound by the bandwidth of links at most in part"
    )
    (line,) = remarks([base, run("nodes*2 links*2", 0.5, ranks=32, nodes=32)])
    assert line.startswith("nodes*2 links*2: 32 ranks")


def test_speed_without_effect_is_explained() -> None:
    why = "93% of the ranks' time is memory traffic"
    lines = remarks([run("as it is", 1.0, unscaled=why), run("speed*2", 1.0)])
    assert lines[0].endswith(f"to nine digits: {why}")
    declared = "90% of the ranks' time is seconds of pysmpi.execute without speed="
    lines = remarks([run("as it is", 1.0, unscaled=declared), run("hosts*2", 0.5)])
    assert lines[0].startswith("hosts*2 is read as speed*2")
    assert lines[1].endswith(declared)
