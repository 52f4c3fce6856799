"""Laws of any sharing: conservation, fairness, order, cancelling, and work that follows the change."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_network import NativeNetwork, reset_settings, set_number, set_table

GIGABYTE = 1e9
LATENCY = 1e-5


def ends(network: NativeNetwork) -> dict[int, float]:
    times = {}
    while (date := network.next_event()) < math.inf:
        network.now = date
        times |= dict.fromkeys(network.settle(), date)
    return times


def pass_latencies(network: NativeNetwork) -> None:
    network.now = network.next_event()
    assert network.settle() == []
    network.next_event()


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[float], list[list[int]]]:
    bandwidths = draw(st.lists(st.sampled_from([1e8, 3e8, 1e9, 1.1e9, 4e9]), min_size=1, max_size=10))
    route = st.lists(st.integers(0, len(bandwidths) - 1), min_size=1, max_size=5, unique=True)
    return bandwidths, draw(st.lists(route, min_size=1, max_size=20))


@settings(max_examples=200, deadline=None)
@given(crowds())
def test_no_link_carries_more_than_it_can_and_each_flow_is_held(crowd: tuple[list[float], list[list[int]]]) -> None:
    """Each flow runs at its bound, or crosses a full link on which no flow has a higher level (max-min fairness)."""
    bandwidths, routes = crowd
    set_number("precision/work-amount", 1e-10)
    try:
        network = NativeNetwork()
        for bandwidth in bandwidths:
            network.add_link(bandwidth)
        flows = []
        for i, route in enumerate(routes):  # one after the other, so that no link is overlooked
            flows.append(network.start(route, [], LATENCY * (1 + i), 1e12)[1])
            pass_latencies(network)
    finally:
        reset_settings()
    rates = [network.rate(flow) for flow in flows]
    loads = [sum(rates[i] for i, route in enumerate(routes) if link in route) for link in range(len(bandwidths))]
    levels = [
        rates[i] * (LATENCY * (1 + i) + sum(8775.0 / bandwidths[link] for link in route))
        for i, route in enumerate(routes)
    ]
    for load, bandwidth in zip(loads, bandwidths, strict=True):
        assert load <= bandwidth * (1 + 1e-9)
    for i, route in enumerate(routes):
        bound = min(min(bandwidths[link] for link in route), 4194304.0 / (2 * LATENCY * (1 + i)))
        full = [link for link in route if loads[link] >= bandwidths[link] * (1 - 1e-9)]
        highest_there = any(
            all(levels[j] <= levels[i] * (1 + 1e-9) for j, other in enumerate(routes) if link in other) for link in full
        )
        assert rates[i] == pytest.approx(bound, rel=1e-9) or highest_there


def test_one_message_takes_latency_and_size_over_bandwidth() -> None:
    """Factors by size scale both; a size on a step belongs to the step below."""
    set_table("smpi/bw-factor", [(0.0, 0.5), (1000.0, 0.25)])
    set_table("smpi/lat-factor", [(0.0, 2.0), (1000.0, 3.0)])
    for size, expected in ((1000.0, 2 * LATENCY + 1000 / 0.5e9), (1001.0, 3 * LATENCY + 1001 / 0.25e9)):
        network = NativeNetwork()
        link = network.add_link(GIGABYTE)
        network.start([link], [], LATENCY, size)
        assert ends(network) == pytest.approx({0: expected}, rel=1e-14)


def test_the_tcp_window_bounds_a_flow() -> None:
    """A flow over a long path is held by TCP-gamma over twice the latency, whatever the bandwidth."""
    network = NativeNetwork()
    link = network.add_link(1e12)
    network.start([link], [], 0.5, 1e6)
    assert ends(network) == pytest.approx({0: 0.5 + 1e6 / 4194304.0}, rel=1e-14)


@pytest.mark.parametrize("senders", [1, 2, 7, 1000])
def test_incast_shares_equally(senders: int) -> None:
    network = NativeNetwork()
    target = network.add_link(GIGABYTE)
    flows = [network.start([network.add_link(GIGABYTE), target], [], LATENCY, 1e6)[1] for _ in range(senders)]
    pass_latencies(network)
    assert [network.rate(flow) for flow in flows] == pytest.approx([GIGABYTE / senders] * senders, rel=1e-12)
    together = LATENCY + senders * 1e6 / GIGABYTE
    assert ends(network) == pytest.approx(dict.fromkeys(range(senders), together), rel=1e-12)


def test_a_fatpipe_gives_each_flow_its_whole_bandwidth() -> None:
    network = NativeNetwork()
    link = network.add_link(GIGABYTE, fatpipe=True)
    for _ in range(5):
        network.start([link], [], LATENCY, 1e6)
    assert ends(network) == pytest.approx(dict.fromkeys(range(5), LATENCY + 1e6 / GIGABYTE), rel=1e-14)


def test_crosstraffic_takes_five_per_cent_of_the_way_back() -> None:
    for crosstraffic, slow_down in ((1, 1.05), (0, 1.0)):
        set_number("network/crosstraffic", crosstraffic)
        network = NativeNetwork()
        there, back = network.add_link(GIGABYTE), network.add_link(GIGABYTE)
        network.start([there], [back], LATENCY, 1e6)
        network.start([back], [there], LATENCY, 1e6)
        assert ends(network) == pytest.approx(dict.fromkeys(range(2), LATENCY + 1e6 / GIGABYTE * slow_down), rel=1e-14)


def test_smaller_messages_end_first_and_free_the_link() -> None:
    network = NativeNetwork()
    link = network.add_link(GIGABYTE)
    for size in (3e6, 1e6, 2e6):
        network.start([link], [], LATENCY, size)
    times = ends(network)
    assert list(times) == [1, 2, 0]
    assert times == pytest.approx({1: LATENCY + 3e-3, 2: LATENCY + 5e-3, 0: LATENCY + 6e-3}, rel=1e-12)


def test_a_cancelled_flow_frees_the_link() -> None:
    network = NativeNetwork()
    link = network.add_link(GIGABYTE)
    network.start([link], [], LATENCY, 1e6)
    _, moving = network.start([link], [], LATENCY, 1e6)
    _, waiting = network.start([link], [], 5 * LATENCY, 1e6)
    pass_latencies(network)
    network.now = 2 * LATENCY
    assert network.remaining(moving) == pytest.approx(1e6 - LATENCY * GIGABYTE / 2, rel=1e-12)
    assert network.remaining(waiting) == 1e6
    network.cancel(moving)
    network.cancel(waiting)
    assert ends(network) == pytest.approx({0: LATENCY + 1e6 / GIGABYTE + LATENCY / 2}, rel=1e-12)


def test_a_flow_without_links_takes_its_latency() -> None:
    network = NativeNetwork()
    network.start([], [], LATENCY, 1e9)
    network.start([], [], 0.0, 1e9)
    assert ends(network) == {1: 0.0, 0: LATENCY}


def test_a_link_met_twice_counts_twice() -> None:
    network = NativeNetwork()
    link = network.add_link(GIGABYTE)
    network.start([link, link], [], LATENCY, 1e6)
    assert ends(network) == pytest.approx({0: LATENCY + 2e6 / GIGABYTE}, rel=1e-14)


def test_events_within_the_timing_precision_happen_together() -> None:
    network = NativeNetwork()
    for size in (1e6, 1e6 + 0.5, 1e6 + 2):
        network.start([network.add_link(GIGABYTE)], [], LATENCY, size)
    assert ends(network) == pytest.approx({0: LATENCY + 1e-3, 1: LATENCY + 1e-3, 2: LATENCY + 1e-3 + 2e-9}, rel=1e-14)


def test_flows_that_end_together_come_the_latest_first() -> None:
    """SimGrid's order, in which it wakes the receivers."""
    network = NativeNetwork()
    link = network.add_link(GIGABYTE)
    for _ in range(4):
        network.start([link, network.add_link(GIGABYTE)], [], LATENCY, 1e6)
    assert list(ends(network)) == [3, 2, 1, 0]


def test_flows_of_one_instant_begin_in_the_order_asked_for() -> None:
    network = NativeNetwork()
    link = network.add_link(GIGABYTE)
    for order in (2, 0, 3, 1):
        network.start([link, network.add_link(GIGABYTE)], [], LATENCY, 1e6, order)
    assert list(ends(network)) == [2, 0, 3, 1]


def test_messages_of_one_sender_overlook_a_shared_target() -> None:
    """Second messages to one target leave with the first ones, and SMPI does not notice that their target is full."""
    network = NativeNetwork()
    target = network.add_link(GIGABYTE)
    second = []
    for _ in range(3):
        up = network.add_link(GIGABYTE)
        network.start([up, network.add_link(GIGABYTE)], [], LATENCY, 1e6)
        second.append(network.start([up, target], [], LATENCY, 1e6)[1])
    pass_latencies(network)
    assert [network.rate(flow) for flow in second] == pytest.approx([GIGABYTE / 2] * 3, rel=1e-12)
    network.start([target], [], 1.0, 1e6)  # touches the target: now it is solved
    network.next_event()
    assert [network.rate(flow) for flow in second] == pytest.approx([GIGABYTE / 3] * 3, rel=1e-12)


def test_work_stays_where_the_change_is() -> None:
    network = NativeNetwork()
    for corner in range(100):
        link = network.add_link(GIGABYTE)
        for _ in range(20):
            network.start([link], [], LATENCY, 1e9)
        if corner == 57:
            network.start([link], [], LATENCY, 1e3)
    pass_latencies(network)
    before = network.counters()
    network.now = network.next_event()
    assert len(network.settle()) == 1
    network.next_event()
    after = network.counters()
    assert after["flows_touched"] - before["flows_touched"] == 20
    assert after["links_touched"] - before["links_touched"] == 1
    assert after["solves"] - before["solves"] == 1


def test_flows_below_their_links_capacity_need_no_solve() -> None:
    network = NativeNetwork()
    link = network.add_link(1e15)
    for i in range(50):
        network.start([link], [], 1.0 + i, 1e3)
    assert len(ends(network)) == 50
    assert network.counters() == {"flows": 50, "solves": 0, "flows_touched": 0, "links_touched": 0}


def test_what_lies_below_the_lowest_changed_level_stays() -> None:
    """On a chain of links of rising bandwidth, a flow that ends on the widest one does not touch those held lower."""
    network = NativeNetwork()
    links = [network.add_link(GIGABYTE * 2**i) for i in range(10)]
    for narrow, wide in itertools.pairwise(links):
        network.start([narrow, wide], [], LATENCY, 1e9)
    network.start([links[-1]], [], LATENCY, 1e9)
    network.start([links[-1]], [], LATENCY, 1e3)
    pass_latencies(network)
    before = network.counters()["flows_touched"]
    network.now = network.next_event()
    network.settle()
    network.next_event()
    assert network.counters()["flows_touched"] - before <= 2
