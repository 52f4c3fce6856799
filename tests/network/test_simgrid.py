"""Completion times against SimGrid 3.32: `simgrid.jsonl` holds links, flows and their end times.

Its cases come from a program that uses SimGrid's S4U interface (Comm::sendto_async between hosts of cluster, fat tree,
torus, dragonfly and zone platforms, `network/model:SMPI` with defaults). Many messages of a sender leave at once, so
that links are overlooked as in SMPI.
"""

import json
import pathlib

import pytest
from native_network import NativeNetwork, set_table

BANDWIDTH_FACTOR = [
    (0, 0.812084), (257, 0.338112), (732, 0.341987), (1426, 0.608902), (3484, 0.77493),
    (5776, 1.08739), (9376, 0.58729), (15424, 0.697866), (65472, 0.940694),
]  # fmt: skip
LATENCY_FACTOR = [
    (0, 2.01467), (257, 1.95341), (732, 1.9503), (1426, 1.61075), (3484, 1.88101),
    (5776, 2.18796), (9376, 2.59299), (15424, 3.48845), (65472, 11.6436),
]  # fmt: skip
CASES = [json.loads(line) for line in (pathlib.Path(__file__).parent / "simgrid.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['platform']}" for i, case in enumerate(CASES)])
def test_times_equal_simgrids(case: dict) -> None:
    set_table("smpi/bw-factor", BANDWIDTH_FACTOR)
    set_table("smpi/lat-factor", LATENCY_FACTOR)
    network = NativeNetwork()
    for bandwidth, fatpipe in case["links"]:
        network.add_link(bandwidth, bool(fatpipe))
    waiting = list(case["flows"])
    expected = {token: flow[-1] for token, flow in enumerate(waiting)}
    ended: dict[int, float] = {}
    while len(ended) < len(expected):
        while waiting and waiting[0][0] <= network.now:
            _, latency, size, route, back, _ = waiting.pop(0)
            network.start(route, back, latency, size)
        network.now = min(network.next_event(), waiting[0][0] if waiting else float("inf"))
        ended |= dict.fromkeys(network.settle(), network.now)
    assert ended == pytest.approx(expected, rel=1e-12)
