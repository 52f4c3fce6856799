"""The fast network against the plain one on random networks, with SMPI's cut-offs and with cut-offs near zero."""

import contextlib
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from native_network import NativeNetwork, reset_settings, set_number
from plain_network import PlainNetwork
from scenarios import Change, Scenario, Start, assert_equal, run, scenarios


@settings(max_examples=300, deadline=None)
@given(scenarios())
def test_times_equal_the_plain_networks(scenario: Scenario) -> None:
    assert_equal(run(NativeNetwork(), scenario), run(PlainNetwork(), scenario))


@settings(max_examples=300, deadline=None)
@given(scenarios())
def test_times_equal_with_cut_offs_near_zero(scenario: Scenario) -> None:
    with exactly():
        assert_equal(run(NativeNetwork(), scenario), run(PlainNetwork(timing=1e-13, work=1e-10), scenario))


@settings(max_examples=300, deadline=None)
@given(scenarios(with_changes=True))
def test_times_equal_while_links_change(scenario: Scenario) -> None:
    assert_equal(run(NativeNetwork(), scenario), run(PlainNetwork(), scenario))


@settings(max_examples=300, deadline=None)
@given(scenarios(with_changes=True))
def test_times_equal_while_links_change_with_cut_offs_near_zero(scenario: Scenario) -> None:
    with exactly():
        assert_equal(run(NativeNetwork(), scenario), run(PlainNetwork(timing=1e-13, work=1e-10), scenario))


def test_flow_that_fails_at_its_start_marks_its_links() -> None:
    """At the same instant, another flow's first link gets faster, and its second link would be overlooked."""
    starts = [
        Start(0.0, [1, 0], [], 1e-5, 16.0, None),
        Start(1e-5, [0], [2], 1e-5, 0.0, None),
    ]
    changes = [
        Change(0.0, 0, "bandwidth", 5e8),
        Change(0.0, 2, "state", 0.0),
        Change(1e-5, 1, "bandwidth", 3.3e9),
    ]
    scenario = Scenario([(1e9, False)] * 3, starts, changes)
    native = run(NativeNetwork(), scenario)
    assert native.ended[0] == pytest.approx(1e-5 + 16 / 5e8, rel=1e-9)
    assert_equal(native, run(PlainNetwork(), scenario))


def test_link_that_one_flow_nearly_fills_holds_a_flow_of_no_latency() -> None:
    """The flow without latency takes so little that less than the cut-off is left beside the other one.

    Both are held at one level. When a third flow changes the first one's other link, the full link still holds it.
    """
    starts = [
        Start(0.0, [0], [4], 0.0, 1e5, None),
        Start(0.0, [4], [], 1e-5, 1e5, None),
        Start(1e-5, [0], [2], 1e-5, 0.0, None),
    ]
    links = [(1e9, False), (1e9, False), (1.122e7, True), (1e9, False), (1e9, False)]
    scenario = Scenario(links, starts, [])
    native = run(NativeNetwork(), scenario)
    assert native.ended[0] == pytest.approx(2e-4, rel=1e-4)
    assert_equal(native, run(PlainNetwork(), scenario))


def test_flow_held_by_its_bound_fills_no_link() -> None:
    """Two flows' penalties differ by rounding, and one flow fills an unshared link: SMPI holds neither.

    Their bounds are reached together, just below the level at which the link is full, so a third flow keeps its own.
    """
    links = [(11e6, True), (707e6, True)]
    routes = [([0, 0, 0], 1e-5, 1e5), ([0, 1, 1, 1], 1e-3, 16.0), ([1, 0, 1, 1], 1e-3, 16.0)]
    scenario = Scenario(links, [Start(0.0, route, [], latency, size, None) for route, latency, size in routes], [])
    native = run(NativeNetwork(), scenario)
    assert native.ended[0] == pytest.approx(1e-5 + 1e5 / 11e6, rel=1e-9)
    assert_equal(native, run(PlainNetwork(), scenario))


@settings(max_examples=50, deadline=None)
@given(scenarios(with_changes=True))
def test_two_runs_are_equal_to_the_bit(scenario: Scenario) -> None:
    first, second = run(NativeNetwork(), scenario), run(NativeNetwork(), scenario)
    assert list(first.ended.items()) == list(second.ended.items())
    assert list(first.failed.items()) == list(second.failed.items())


@contextlib.contextmanager
def exactly() -> Iterator[None]:
    set_number("precision/timing", 1e-13)
    set_number("precision/work-amount", 1e-10)
    try:
        yield
    finally:
        reset_settings()
