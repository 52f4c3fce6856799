"""The exact mode (network/optim:Full) against a judge that computes every rate from zero at every event."""

import itertools

import pytest
from exact_network import ExactNetwork
from hypothesis import given, settings
from hypothesis import strategies as st
from native_network import NativeNetwork, reset_settings, set_number
from scenarios import Scenario, assert_equal, run, scenarios

GIGABYTE = 1e9
LATENCY = 1e-5


@pytest.fixture(autouse=True)
def exact_mode(default_settings: None) -> None:
    set_number("network/optim", 1)


def native(groups: bool, timing: float = 1e-9) -> NativeNetwork:
    """Return a network in the exact mode, with flows in groups or each by itself."""
    reset_settings()
    set_number("network/optim", 1)
    set_number("precision/timing", timing)
    network = NativeNetwork()
    if groups:
        network.always_group()
    return network


in_groups = pytest.mark.parametrize("groups", [False, True], ids=["flows", "groups"])


@in_groups
@settings(max_examples=300, deadline=None)
@given(scenarios())
def test_times_equal_those_of_the_judge(groups: bool, scenario: Scenario) -> None:
    assert_equal(run(native(groups), scenario), run(ExactNetwork(), scenario))


@in_groups
@settings(max_examples=200, deadline=None)
@given(scenarios())
def test_times_equal_with_every_event_by_itself(groups: bool, scenario: Scenario) -> None:
    assert_equal(run(native(groups, 1e-13), scenario), run(ExactNetwork(1e-13), scenario))


@in_groups
@settings(max_examples=300, deadline=None)
@given(scenarios(with_changes=True))
def test_times_equal_while_links_change(groups: bool, scenario: Scenario) -> None:
    assert_equal(run(native(groups), scenario), run(ExactNetwork(), scenario))


@in_groups
@settings(max_examples=50, deadline=None)
@given(scenarios(with_changes=True))
def test_two_runs_are_equal_to_the_bit(groups: bool, scenario: Scenario) -> None:
    first, second = run(native(groups), scenario), run(native(groups), scenario)
    assert list(first.ended.items()) == list(second.ended.items())
    assert list(first.failed.items()) == list(second.failed.items())


Crowd = tuple[list[float], list[tuple[list[int], list[int], float]], list[int]]


@st.composite
def crowds(draw: st.DrawFn) -> Crowd:
    """Draw links, flows with way back and latency, and the order in which some of them are cancelled."""
    bandwidths = draw(st.lists(st.sampled_from([1e8, 2e8, 3e8, 1e9, 1e9, 4e9]), min_size=1, max_size=10))
    links = st.integers(0, len(bandwidths) - 1)
    latency = st.sampled_from([LATENCY, LATENCY, 2 * LATENCY, 100 * LATENCY])
    flow = st.tuples(st.lists(links, min_size=1, max_size=5), st.lists(links, max_size=4), latency)
    flows = draw(st.lists(flow, min_size=1, max_size=40))
    return bandwidths, flows, draw(st.permutations(range(len(flows))))


@in_groups
@settings(max_examples=200, deadline=None)
@given(crowds())
def test_rates_equal_those_of_the_judge_after_every_change(groups: bool, crowd: Crowd) -> None:
    """Flows come one by one and go one by one; bandwidths, weights and latencies have many ties."""
    bandwidths, flows, order = crowd
    network, judge = native(groups), ExactNetwork()
    for bandwidth in bandwidths:
        network.add_link(bandwidth)
        judge.add_link(bandwidth)
    pairs = {}

    def compare() -> None:
        network.next_event()
        judge.next_event()
        for mine, other in pairs.values():
            assert network.rate(mine) == pytest.approx(judge.rate(other), rel=1e-9)

    for number, (route, back, latency) in enumerate(flows):
        pairs[number] = network.start(route, back, latency, 1e15)[1], judge.start(route, back, latency, 1e15)[1]
        network.now = judge.now = network.next_event()
        assert judge.next_event() == pytest.approx(judge.now, rel=1e-12)
        assert network.settle() == judge.settle() == []
        compare()
    for number in order:
        mine, other = pairs.pop(number)
        network.cancel(mine)
        judge.cancel(other)
        compare()


def test_no_link_is_overlooked() -> None:
    """Second messages of three senders to one target share it, though they leave with the first ones."""
    network = NativeNetwork()
    target = network.add_link(GIGABYTE)
    second = []
    for _ in range(3):
        up = network.add_link(GIGABYTE)
        network.start([up, network.add_link(GIGABYTE)], [], LATENCY, 1e6)
        second.append(network.start([up, target], [], LATENCY, 1e6)[1])
    network.now = network.next_event()
    network.settle()
    network.next_event()
    assert [network.rate(flow) for flow in second] == pytest.approx([GIGABYTE / 3] * 3, rel=1e-12)


def test_a_nearly_full_link_still_limits() -> None:
    """One flow leaves 1e-6 of a link to another. SMPI's cut-off would not hold the second flow there."""
    network = NativeNetwork()
    link, narrow = network.add_link(1e12), network.add_link(1e12 * (1 - 1e-6))
    network.start([link, narrow], [], LATENCY, 1e15)
    slow = network.start([link], [], 1000.0, 1e15)[1]
    for _ in range(2):
        network.now = network.next_event()
        network.settle()
    network.next_event()
    assert network.rate(slow) < 1e6


@pytest.mark.parametrize("bandwidth", [GIGABYTE, 3 * GIGABYTE, GIGABYTE / 4])
def test_an_unshared_link_bounds_each_flow(bandwidth: float) -> None:
    """A flow that fills it does not hold back another one with a greater penalty."""
    network = NativeNetwork()
    link = network.add_link(bandwidth, fatpipe=True)
    flows = [network.start([link], [], latency, 1e12)[1] for latency in (LATENCY, 3 * LATENCY)]
    for _ in range(2):
        network.now = network.next_event()
        network.settle()
    network.next_event()
    assert [network.rate(flow) for flow in flows] == [bandwidth] * 2
    for changed in (bandwidth / 2, bandwidth * 2):  # a bound is at most the bandwidth at the flow's start
        network.set_bandwidth(link, changed)
        network.next_event()
        assert [network.rate(flow) for flow in flows] == [min(changed, bandwidth)] * 2


def test_flows_whose_rate_stays_are_not_dated_again() -> None:
    """On a chain of links of rising bandwidth, a flow that comes or goes on the widest one concerns its pair only."""
    network = NativeNetwork()
    links = [network.add_link(GIGABYTE * 2**i) for i in range(10)]
    for narrow, wide in itertools.pairwise(links):
        network.start([narrow, wide], [], LATENCY, 1e9)
    network.start([links[-1]], [], LATENCY, 1e9)
    short = network.start([links[-1]], [], LATENCY, 1e6)[1]
    network.now = network.next_event()
    network.settle()
    network.next_event()
    before = network.counters()["flows_touched"]
    network.cancel(short)
    network.next_event()
    assert network.counters()["flows_touched"] - before <= 2


def test_links_that_cannot_fill_are_not_looked_at() -> None:
    """In an incast only the receiver's link can fill, until the senders' links shrink."""
    set_number("network/weight-S", 0)
    network = NativeNetwork()
    target = network.add_link(GIGABYTE)
    ups = [network.add_link(GIGABYTE) for _ in range(100)]
    flows = [network.start([up, target], [], LATENCY, 1e6 * (1 + i))[1] for i, up in enumerate(ups)]
    network.now = network.next_event()
    network.settle()
    before = network.counters()
    for _ in range(20):
        network.now = network.next_event()
        assert len(network.settle()) == 1
    after = network.counters()
    assert after["links_touched"] - before["links_touched"] == 20
    network.set_bandwidth(ups[50], 1e3)
    network.next_event()
    assert network.rate(flows[50]) == pytest.approx(1e3, rel=1e-12)
    assert network.rate(flows[51]) == pytest.approx((GIGABYTE - 1e3) / 79, rel=1e-12)


def start_incast(network: NativeNetwork, flows: int, spread: float) -> list[float]:
    """Start flows of 24 bytes to one link at 150 dates, and return the date of each flow's end."""
    target = network.add_link(GIGABYTE)
    ends: dict[int, float] = {}
    for number in range(flows):
        network.start([network.add_link(GIGABYTE), target], [], LATENCY + spread * (number * 7 % 150), 24.0)
    while len(ends) < flows:
        network.now = network.next_event()
        ends |= dict.fromkeys(network.settle(), network.now)
    return [ends[number] for number in range(flows)]


def test_groups_assign_the_flows_of_an_incast_once() -> None:
    flows = 2000
    spread = flows * 24 / GIGABYTE / 300
    network = native(groups=True)
    expected = start_incast(network, flows, spread)
    assert network.counters()["flows_touched"] < 1.1 * flows
    # Without being told, the network begins with single flows, soon has groups, and finds the same dates.
    chosen = native(groups=False)
    assert start_incast(chosen, flows, spread) == pytest.approx(expected, rel=1e-9)
    assert chosen.counters()["flows_touched"] < 10 * flows


@in_groups
def test_sums_and_clocks_do_not_drift(groups: bool) -> None:
    """Two equal flows and 5,000 others of unequal weights, one after the other, keep a link full without a break."""
    network = native(groups)
    link = network.add_link(GIGABYTE)
    for size in (1e9, 1e12):
        network.start([link], [], LATENCY, size)
    network.now = network.next_event()
    assert network.settle() == []
    sizes = [10.0 ** (number % 5) for number in range(5000)]
    for number, size in enumerate(sizes):
        token = network.start([link], [], LATENCY * (1 + number % 7) / 10, size)[0]
        while True:
            network.now = network.next_event()
            if token in network.settle():
                break
    network.now = network.next_event()
    assert network.settle() == [0]
    assert network.now == pytest.approx(LATENCY + (2e9 + sum(sizes)) / GIGABYTE, rel=1e-11)
