"""The solver's work follows the change, on a fat tree of 4,096 hosts full of messages."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from native_network import NativeNetwork

from pysmpi.platform import load

SHAPE = "3;16,16,16;1,16,16;1,1,1"
HOSTS, LEAF = 4096, 16
LATENCY = 1e-5


class Tree:
    """The tree with a large message from nearly every host to a random one; the last leaf is left out."""

    def __init__(self, path: Path) -> None:
        path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="tree" prefix="n" suffix="" radical="0-{HOSTS - 1}" speed="1Gf" bw="1GBps" lat="1us"
           topology="FAT_TREE" topo_parameters="{SHAPE}"/>
</platform>
""")
        self._platform = load(str(path))
        self.network = NativeNetwork()
        for link in self._platform.links:
            self.network.add_link(link.bandwidth, link.policy == "FATPIPE")
        receivers = list(range(HOSTS - LEAF))
        random.Random(4096).shuffle(receivers)
        self.crowd = [self.start(sender, receiver, 1e9) for sender, receiver in enumerate(receivers)]

    def route(self, sender: int, receiver: int) -> list[int]:
        return [link.index for link in self._platform.route(f"n{sender}", f"n{receiver}").links]

    def start(self, sender: int, receiver: int, size: float) -> int:
        return self.network.start(self.route(sender, receiver), self.route(receiver, sender), LATENCY, size)[1]

    def pass_latencies(self) -> None:
        self.network.now = self.network.next_event()
        assert self.network.settle() == []
        self.network.next_event()

    def work_of(self, change: Callable[[], object]) -> tuple[int, int, int]:
        """Return solves, flows touched and links touched by a change."""
        before = self.network.counters()
        change()
        self.network.next_event()
        after = self.network.counters()
        return tuple(after[name] - before[name] for name in ("solves", "flows_touched", "links_touched"))  # type: ignore[return-value]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "tree.xml")


def test_a_flow_that_ends_in_a_far_corner(tree: Tree) -> None:
    """The one flow that shared a link with it is touched, with the links of its route, and none of 4,080 others."""
    stays = tree.start(HOSTS - 2, HOSTS - 1, 1e9)
    tree.start(HOSTS - 3, HOSTS - 1, 1e3)
    tree.pass_latencies()
    assert tree.network.rate(stays) == pytest.approx(0.5e9 / 1.0, rel=0.06)
    tree.network.now = tree.network.next_event()
    solves, flows, links = tree.work_of(tree.network.settle)
    assert (solves, flows) == (1, 1)
    assert links <= 4  # there and back
    assert tree.network.rate(stays) == pytest.approx(1e9, rel=0.06)


def test_a_link_that_changes_in_a_far_corner(tree: Tree) -> None:
    flows_there = [tree.start(HOSTS - 2 - i, HOSTS - 1, 1e9) for i in range(3)]
    tree.pass_latencies()
    link = tree.route(HOSTS - 2, HOSTS - 1)[-1]
    rates = [tree.network.rate(flow) for flow in tree.crowd]
    for change in (
        lambda: tree.network.set_bandwidth(link, 3e8),
        lambda: tree.network.set_bandwidth(link, 2e9),
        lambda: tree.network.change_latency(link, 1e-3),
    ):
        solves, flows, links = tree.work_of(change)
        assert (solves, flows) == (1, 3)
        assert links <= 8  # those of three senders and one receiver, there and back
    assert [tree.network.rate(flow) for flow in flows_there] == pytest.approx([2e9 / 3] * 3, rel=1e-9)
    assert [tree.network.rate(flow) for flow in tree.crowd] == rates


def test_an_unused_link_that_changes(tree: Tree) -> None:
    tree.pass_latencies()
    link = tree.route(HOSTS - 2, HOSTS - 1)[-1]
    assert tree.work_of(lambda: tree.network.set_bandwidth(link, 3e8)) == (0, 0, 0)
    assert tree.work_of(lambda: tree.network.change_latency(link, 3e-3)) == (0, 0, 0)


def test_flows_that_leave_the_crowd(tree: Tree) -> None:
    tree.pass_latencies()
    rng = random.Random(1)
    touched = moved = 0
    rates = {flow: tree.network.rate(flow) for flow in tree.crowd}
    for flow in rng.sample(tree.crowd, 100):
        touched += tree.work_of(lambda flow=flow: tree.network.cancel(flow))[1]  # type: ignore[misc]
        del rates[flow]
        now = {other: tree.network.rate(other) for other in rates}
        moved += sum(now[other] != rates[other] for other in rates)
        rates = now
    assert touched <= 3 * moved + 100


def test_many_messages_to_one_host(tree: Tree) -> None:
    senders = range(HOSTS - 65, HOSTS - 1)
    flows = [tree.start(sender, HOSTS - 1, 1e6) for sender in senders]
    there = {link for sender in senders for link in tree.route(sender, HOSTS - 1)}
    back = {link for sender in senders for link in tree.route(HOSTS - 1, sender)}
    for flow in tree.crowd:
        tree.network.cancel(flow)
    tree.pass_latencies()
    solves, touched, links = tree.work_of(lambda: tree.network.cancel(flows[0]))
    assert (solves, touched) == (1, 63)
    assert links <= len(there | back)
    assert sum(tree.network.rate(flow) for flow in flows[1:]) == pytest.approx(1e9, rel=1e-9)
