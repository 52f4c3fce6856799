"""Random networks with flows and changes, drawn so that ties are frequent, and a run of them on any network."""

import dataclasses
import math

import pytest
from hypothesis import strategies as st
from native_network import NativeNetwork
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
class Change:
    """A change of a link: `kind` is "bandwidth", "latency" or "state"."""

    time: float
    link: int
    kind: str
    value: float


@dataclasses.dataclass(frozen=True)
class Scenario:
    """Links (bandwidth, FATPIPE), flows over them, and changes."""

    links: list[tuple[float, bool]]
    starts: list[Start]
    changes: list[Change]


@dataclasses.dataclass
class Outcome:
    """Times at which each flow ended or failed, by its index in the scenario, without cancelled flows."""

    ended: dict[int, float] = dataclasses.field(default_factory=dict)
    failed: dict[int, float] = dataclasses.field(default_factory=dict)


@st.composite
def changes_of(draw: st.DrawFn, links: list[tuple[float, bool]]) -> Change:
    link = draw(st.integers(0, len(links) - 1))
    kind = draw(st.sampled_from(["bandwidth", "bandwidth", "latency", "latency", "state"]))
    values = {
        "bandwidth": [0.5 * links[link][0], 3.3 * links[link][0], links[link][0]],
        "latency": [1e-5, 1e-3, 2e-2],
        "state": [0.0, 1.0, 1.0],
    }
    time = draw(st.sampled_from([0.0, 1e-5, 1.5e-5, 1.2e-4, 2.1e-4, 1e-3, 5.1e-3]))
    return Change(time, link, kind, draw(st.sampled_from(values[kind])))


@st.composite
def scenarios(draw: st.DrawFn, *, with_changes: bool = False) -> Scenario:
    """Draw from few values of each kind, so that ties and simultaneous events are frequent."""
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
    changes = draw(st.lists(changes_of(links), min_size=1, max_size=8)) if with_changes else []
    return Scenario(links, sorted(starts, key=lambda one: one.time), sorted(changes, key=lambda one: one.time))


def apply(network: NativeNetwork | PlainNetwork, change: Change, latencies: dict[int, float]) -> None:
    """Apply a change; the same change of a latency twice restores it."""
    if change.kind == "bandwidth":
        network.set_bandwidth(change.link, change.value)
    elif change.kind == "latency":
        value = 0.0 if latencies.get(change.link) == change.value else change.value
        network.change_latency(change.link, value - latencies.get(change.link, 0.0))
        latencies[change.link] = value
    else:
        network.set_state(change.link, change.value > 0)


def run(network: NativeNetwork | PlainNetwork, scenario: Scenario) -> Outcome:
    """Run as the engine does: changes come before all other events of their date."""
    for bandwidth, fatpipe in scenario.links:
        network.add_link(bandwidth, fatpipe)
    waiting = list(enumerate(scenario.starts))
    changes = list(scenario.changes)
    latencies: dict[int, float] = {}
    running = {}
    cancels: list[tuple[float, int]] = []
    outcome = Outcome()

    def take_failed() -> None:
        outcome.failed |= {running.pop(token)[0]: network.now for token in network.take_failed() if token in running}

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
        take_failed()
        cancels = [(time, token) for time, token in cancels if time > network.now and token in running]
        dates = [network.next_event(), *[start.time for _, start in waiting[:1]], *[time for time, _ in cancels]]
        if not waiting and not running:
            break
        network.now = min(dates + [change.time for change in changes[:1]])
        assert network.now < math.inf
        while changes and changes[0].time <= network.now:
            apply(network, changes.pop(0), latencies)
        take_failed()
        for token in network.settle():
            outcome.ended[running.pop(token)[0]] = network.now
    return outcome


def assert_equal(native: Outcome, plain: Outcome) -> None:
    assert native.ended == pytest.approx(plain.ended, rel=1e-9)
    assert native.failed == pytest.approx(plain.failed, rel=1e-9)
