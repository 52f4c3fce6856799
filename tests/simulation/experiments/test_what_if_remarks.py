"""Remarks on what-if tables, and the agreement of what-if runs with runs on the other machine."""

from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.experiments.variation import Variation
from pysmpi.simulation.experiments.what_if_remarks import remarks
from pysmpi.simulation.experiments.what_if_runs import WhatIf
from pysmpi.simulation.instruments.outcome import IntervalUse

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
    lines = remarks([run("as it is", 1.0), run("speed*2", 0.52), run("bandwidth*2", 0.98), run("latency/2", 1.0)], {})
    assert lines == [
        "latency/2: no effect, the time is the same to nine digits",
        "nodes twice as fast: 1.92 times; links twice as fast: 1.02 times; latency halved: 1.00 times; "
        "the program is bound by the speed of its nodes",
    ]
    (line,) = remarks([run("as it is", 1.0), run("memory*2", 0.9), run("bandwidth*4", 0.8)], {})
    assert "none of these takes half of the time" in line
    assert remarks([run("as it is", 1.0), run("bcast=flattree", 0.5)], {}) == []


def test_more_nodes_are_counted_and_bound_nothing() -> None:
    base = run("as it is", 1.0, ranks=16, nodes=16)
    more, fewer = run("nodes*2", 0.62, ranks=32, nodes=32), run("nodes/16", 9.0, ranks=1, nodes=1)
    assert remarks([base, more, fewer], {}) == [
        "nodes*2: 32 ranks on 32 nodes instead of 16 on 16",
        "nodes/16: 1 rank on 1 node instead of 16 on 16",
        "twice as many nodes: 1.61 times; 0.0625 times as many nodes: 0.11 times",
    ]
    lines = remarks([base, more, run("links*2", 0.9)], {})
    assert lines[-1] == (
        "twice as many nodes: 1.61 times; links twice as fast: 1.11 times; "
        "none of these takes half of the time: the program is bound by the bandwidth of links at most in part"
    )
    (line,) = remarks([base, run("nodes*2 links*2", 0.5, ranks=32, nodes=32)], {})
    assert line.startswith("nodes*2 links*2: 32 ranks")


def test_speed_without_effect_is_explained() -> None:
    why = "93% of the ranks' time is memory traffic"
    lines = remarks([run("as it is", 1.0, unscaled=why), run("speed*2", 1.0)], {})
    assert lines[0].endswith(f"to nine digits: {why}")
    declared = "90% of the ranks' time is seconds of pysmpi.execute without speed="
    lines = remarks([run("as it is", 1.0, unscaled=declared), run("hosts*2", 0.5)], {})
    assert lines[0].startswith("hosts*2 is read as speed*2")
    assert lines[1].endswith(declared)


MEASURED = IntervalUse(measured=100, longest=0.9, spread=0.1)


def test_what_was_measured_anew_has_a_margin() -> None:
    """Nine of ten intervals differ from the next one by at most 10 %, in runs of which 90 % is computation."""
    base = run("as it is", 1.0, intervals=MEASURED, own_share=0.9, ranks=4, nodes=4)
    more = run("nodes*2", 0.95, intervals=MEASURED, own_share=0.9, ranks=8, nodes=8)
    half = run("nodes*4", 0.5, intervals=MEASURED, own_share=0.9, ranks=16, nodes=16)
    shared = run("links*2", 1.0, intervals=IntervalUse(reused=100))
    unsure = run("latency/2", 0.99, intervals=IntervalUse(reused=90, measured=10, left_over=5), own_share=0.1)
    found = WhatIf((base, more, half, shared, unsure))
    assert found.margin("nodes*2") == pytest.approx(0.09 * 2**0.5 / 0.95)
    assert found.margin("links*2") == found.margin("as it is") == 0
    assert found.margin("latency/2") == pytest.approx(0.01 * 2**0.5 / 0.99)
    assert [found.is_distinguishable(each.switch) for each in found.variations] == [True, False, True, True, False]
    lines = found.lines()
    assert "1.053× ± 0.134" in lines[2] and "1.000×  " in lines[4]
    assert "nodes*2: computation was measured again, 90.0% of the time of one rank; " in "\n".join(lines)
    assert (
        "latency/2: measured computation of the unchanged run: 90 intervals reused, 10 intervals measured again, "
        "5 intervals not used, 10.0% of the time of one rank; ± says how far repeated runs may differ"
    ) in lines
    assert lines[-1] == (
        "twice as many nodes: 1.05 ± 0.13 times (not distinguishable from no effect); 4 times as many nodes: "
        "2.00 ± 0.25 times; links twice as fast: 1.00 times; latency halved: 1.01 ± 0.01 times (not distinguishable "
        "from no effect); none of these takes half of the time: the program is bound by the bandwidth of links at "
        "most in part"
    )


def test_without_comparable_intervals_the_margin_is_that_of_measured_code() -> None:
    once = IntervalUse(measured=1, longest=1.0)
    found = WhatIf(
        (run("as it is", 1.0, intervals=once, own_share=1.0), run("nodes*2", 0.9, intervals=once, own_share=1.0))
    )
    assert found.margin("nodes*2") == pytest.approx(0.25 * 2**0.5 / 0.9)
