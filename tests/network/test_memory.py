"""Memory of routes: what flows leave behind is used again by flows with routes of other lengths."""

import os
from pathlib import Path

import pytest
from native_network import NativeNetwork, set_number

FLOWS, LINKS = 4_000, 200


def resident() -> int:
    """Return the bytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.memory
def test_rounds_with_routes_of_growing_length() -> None:
    """4.4 million uses of links in ten rounds, of which the longest has 0.8 million."""
    set_number("network/optim", 1)
    network = NativeNetwork()
    links = [network.add_link(1e9) for _ in range(LINKS)]
    before = resident()
    for length in range(20, LINKS + 1, 20):
        for _ in range(FLOWS):
            network.start(links[:length], [], 1e-6, 1e3)
        left = FLOWS
        while left > 0:
            network.now = network.next_event()
            left -= len(network.settle())
    assert resident() - before < 3 * 16 * FLOWS * LINKS


def test_a_link_crossed_many_times() -> None:
    """Each number of crossings is a weight of its own, and there may be more of them than numbers for weights."""
    network = NativeNetwork()
    link = network.add_link(1e9)
    flows = [network.start([link] * times, [], 0.0, 1e6)[1] for times in range(1, 51)]
    network.next_event()
    rates = [network.rate(flow) for flow in flows]
    assert sum(times * rate for times, rate in zip(range(1, 51), rates, strict=True)) <= 1e9 * (1 + 1e-9)
    ended = 0
    while ended < len(flows):
        network.now = network.next_event()
        ended += len(network.settle())
