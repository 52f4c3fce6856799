"""The fast network against the plain one on random networks, with SMPI's cut-offs and with cut-offs near zero."""

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_network import NativeNetwork, reset_settings, set_number
from plain_network import PlainNetwork


@dataclasses.dataclass(frozen=True)
class Start:
    """A flow of a scenario."""

    time: float
    route: list[int]
    back: list[int]
    latency: float
    size: float
    cancelled: float | None


@dataclasses.dataclass(frozen=True)
class Scenario:
    """Links (bandwidth, FATPIPE) and flows over them."""

    links: list[tuple[float, bool]]
    starts: list[Start]


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Few values of each kind, so that ties and simultaneous events are frequent."""
    # Where a link that does not share fills at exactly another's level, rounding decides what happens: no two alike.
    shared = st.tuples(st.sampled_from([1e9, 1e9, 1.25e9, 3e8, 1e7, 1e12]), st.just(False))
    fatpipe = st.tuples(st.sampled_from([1.7e9, 7e8, 1.1e7]), st.just(True))
    links = draw(st.lists(st.one_of(shared, shared, shared, fatpipe), min_size=1, max_size=8))
    links = [(bandwidth * (1 + 0.01 * i) if wide else bandwidth, wide) for i, (bandwidth, wide) in enumerate(links)]
    route = st.lists(st.integers(0, len(links) - 1), min_size=1, max_size=4)
    start = st.builds(
        Start,
        time=st.sampled_from([0.0, 0.0, 0.0, 1e-5, 2e-4, 5e-3]),
        route=route,
        back=st.lists(st.integers(0, len(links) - 1), max_size=4),
        latency=st.sampled_from([1e-5, 1e-5, 2e-5, 1e-3, 0.0]),
        size=st.sampled_from([0.0, 16.0, 1e3, 1e5, 1e5, 3e5, 1e6]),
        cancelled=st.sampled_from([None, None, None, None, 1.3e-5, 1.7e-4]),
    )
    starts = draw(st.lists(start, min_size=1, max_size=12))
    return Scenario(links, sorted(starts, key=lambda one: one.time))


def run(network: NativeNetwork | PlainNetwork, scenario: Scenario) -> dict[int, float]:
    """When each flow ended, by its place in the scenario; cancelled ones are left out."""
    for bandwidth, fatpipe in scenario.links:
        network.add_link(bandwidth, fatpipe)
    waiting = list(enumerate(scenario.starts))
    running = {}
    cancels: list[tuple[float, int]] = []
    ended = {}
    while waiting or running:
        while waiting and waiting[0][1].time <= network.now:
            place, start = waiting.pop(0)
            token, flow = network.start(start.route, start.back, start.latency, start.size)
            running[token] = (place, flow)
            if start.cancelled is not None:
                cancels.append((network.now + start.cancelled, token))
        for time, token in sorted(cancels):
            if time <= network.now and token in running:
                network.cancel(running.pop(token)[1])
        cancels = [(time, token) for time, token in cancels if time > network.now and token in running]
        dates = [network.next_event(), *[start.time for _, start in waiting[:1]], *[time for time, _ in cancels]]
        if not waiting and not running:
            break
        network.now = min(dates)
        assert network.now < math.inf
        for token in network.settle():
            ended[running.pop(token)[0]] = network.now
    return ended


@settings(max_examples=300, deadline=None)
@given(scenarios())
def test_times_equal_the_plain_networks(scenario: Scenario) -> None:
    """Completion times agree to 1e-9 under SMPI's precisions."""
    assert run(NativeNetwork(), scenario) == pytest.approx(run(PlainNetwork(), scenario), rel=1e-9)


@settings(max_examples=300, deadline=None)
@given(scenarios())
def test_times_equal_with_cut_offs_near_zero(scenario: Scenario) -> None:
    """Completion times agree to 1e-9 when nothing is cut off."""
    try:
        set_number("precision/timing", 1e-13)
        set_number("precision/work-amount", 1e-10)
        assert run(NativeNetwork(), scenario) == pytest.approx(
            run(PlainNetwork(timing=1e-13, work=1e-10), scenario), rel=1e-9
        )
    finally:
        reset_settings()


@settings(max_examples=50, deadline=None)
@given(scenarios())
def test_two_runs_are_equal_to_the_bit(scenario: Scenario) -> None:
    """The same flows end at the same times in the same order."""
    first, second = run(NativeNetwork(), scenario), run(NativeNetwork(), scenario)
    assert list(first.items()) == list(second.items())
