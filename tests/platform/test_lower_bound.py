"""Bytes that messages put on links, without simulating, against hand-computed cases and simulations."""

from collections.abc import Callable

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.errors import PlatformError
from pysmpi.platform import Cluster, Dragonfly, FatTree, Platform, Torus
from pysmpi.platform.builder import Builder
from pysmpi.platform.lower_bound import LowerBound
from pysmpi.platform.topologies import ClusterOfHosts


def machine(cluster: ClusterOfHosts) -> Platform:
    builder = Builder()
    cluster.add_to(builder)
    return builder.finish("machine")


def torus(*sizes: int, hosts: int = 1) -> Platform:
    return machine(Torus(list(sizes), hosts=hosts, bandwidth="1GBps", latency="100ns"))


def loads(bound: LowerBound, platform: Platform) -> dict[str, float]:
    return {platform.links[int(link)].name: bound.link_bytes[link] for link in np.flatnonzero(bound.link_bytes)}


def test_an_incast_is_bound_by_the_receivers_cable() -> None:
    platform = machine(Cluster(hosts=4, bandwidth="1GBps", latency="10us"))
    bound = LowerBound(platform)
    bound.add([0, 1, 2], 3, 1e6)
    assert bound.busiest is not None
    assert bound.busiest.name.endswith("3_DOWN")
    assert bound.seconds == pytest.approx(3e-3)
    assert bound.messages == 3
    assert sorted(loads(bound, platform).values()) == [1e6, 1e6, 1e6, 3e6]


def test_a_shift_on_a_ring_adds_up_on_its_cables() -> None:
    """Each of five nodes sends to the node two steps on: every cable upwards carries two messages."""
    platform = torus(5, hosts=1)
    hosts = np.arange(5)
    bound = LowerBound(platform)
    bound.add(hosts, (hosts + 2) % 5, 1000.0)
    found = sorted(loads(bound, platform).values())
    assert found == [1000.0] * 10 + [2000.0] * 5  # a cable up and one down for each host, one for each switch
    assert bound.seconds == pytest.approx(2e-6)


@pytest.mark.parametrize("k", [4, 6])
def test_all_to_all_on_a_ring(k: int) -> None:
    """Each message is on the links of its route; together they cross as many cables as all distances have."""
    platform = torus(k, hosts=1)
    pairs = np.array([(source, to) for source in range(k) for to in range(k) if source != to])
    bound = LowerBound(platform)
    bound.add(pairs[:, 0], pairs[:, 1], 1.0)
    expected: dict[str, float] = {}
    for source, to in pairs.tolist():
        for link in platform.route(platform.hosts[source], platform.hosts[to]).links:
            expected[link.name] = expected.get(link.name, 0.0) + 1.0
    assert loads(bound, platform) == expected
    between = [number for name, number in expected.items() if "_from_switch_" in name]
    assert sum(between) == k * (k * k // 4)  # the sum of all distances


def test_sizes_and_calls_add_up() -> None:
    platform = torus(4, hosts=2)
    once, twice = LowerBound(platform), LowerBound(platform)
    once.add(np.arange(8), np.arange(8)[::-1], np.arange(8) * 10.0)
    for part in (slice(3), slice(3, None)):
        twice.add(np.arange(8)[part], np.arange(8)[::-1][part], (np.arange(8) * 10.0)[part])
    assert (once.link_bytes == twice.link_bytes).all()
    assert once.messages == twice.messages == 8


def test_arrays_are_broadcast() -> None:
    """A column of sources and a row of destinations are an exchange of all with all."""
    platform = torus(3, 3, hosts=2)
    bound, expected = LowerBound(platform), LowerBound(platform)
    hosts = np.arange(18)
    bound.add(hosts[:, None], hosts, 5.0)
    source, destination = np.divmod(np.arange(18 * 18), 18)
    expected.add(source, destination, np.full(18 * 18, 5.0))
    assert (bound.link_bytes == expected.link_bytes).all()
    assert bound.messages == 18 * 18


def test_large_broadcasts_are_added_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = torus(3, 3, hosts=2)
    whole, parts = LowerBound(platform), LowerBound(platform)
    hosts = np.arange(18)
    sizes = np.arange(18.0 * 18).reshape(18, 18)
    whole.add(hosts[:, None], hosts, sizes)
    monkeypatch.setattr("pysmpi.platform.lower_bound._AT_ONCE", 40)
    parts.add(hosts[:, None], hosts, sizes)
    assert (whole.link_bytes == parts.link_bytes).all()
    assert whole.messages == parts.messages == 18 * 18


def test_no_messages_and_one_message() -> None:
    platform = torus(3, hosts=1)
    bound = LowerBound(platform)
    bound.add([], [], 1.0)
    bound.add(np.zeros((0, 3), int), [0, 1, 2], 1.0)
    assert (bound.messages, bound.busiest, bound.seconds) == (0, None, 0.0)
    bound.add(0, 1, 5.0)
    assert bound.messages == 1
    assert bound.link_bytes.sum() == 15.0


def test_group_to_group_on_a_dragonfly() -> None:
    """All 12 hosts of a group send to the next group: one global cable carries it all, if the routing is minimal."""
    platform = machine(Dragonfly(3, 2, 3, 2, bandwidth="1GBps", latency="100ns"))
    hosts = np.arange(36)
    bound = LowerBound(platform)
    bound.add(hosts, (hosts + 12) % 36, 1e6)
    assert bound.seconds == pytest.approx(12e-3)


def test_a_random_routing_spreads_its_draws() -> None:
    platform = machine(Dragonfly(5, 2, 5, 1, bandwidth="1GBps", latency="100ns"))
    hosts = np.arange(50)
    seconds = []
    platform.choose_routes("valiant", 1)
    for draws in (1, 64):
        bound = LowerBound(platform, draws=draws)
        bound.add(hosts, (hosts + 10) % 50, 1e6)
        seconds.append(bound.seconds)
        own = [value for name, value in loads(bound, platform).items() if "_to_node_" in name]
        assert own == pytest.approx([1e6] * 100)  # each host's cables carry the whole message
    assert seconds[1] < seconds[0] < 10e-3


@pytest.mark.parametrize("routing", ["ugal", "ugal-l"])
def test_routes_by_load_count_what_all_have_in_common(routing: str) -> None:
    hosts = np.arange(10)
    for per_switch, expected in ((2, {1.0}), (0, set())):
        platform = torus(5, hosts=2) if per_switch else machine(Torus([10]))
        platform.choose_routes(routing)
        bound = LowerBound(platform)
        bound.add(hosts, (hosts + 4) % 10, 1.0)
        assert set(loads(bound, platform).values()) == expected
    assert (bound.busiest, bound.seconds) == (None, 0.0)


def exchange(size: int) -> float:
    world = MPI.COMM_WORLD
    world.Barrier()
    begin = MPI.Wtime()
    blocks = bytearray(size * world.size)
    world.Alltoall(blocks, bytearray(len(blocks)))
    return world.allreduce(MPI.Wtime() - begin, MPI.MAX)


@pytest.mark.parametrize(
    "make",
    [lambda: torus(3, 2, hosts=2), lambda: machine(FatTree([3, 4], [1, 2], bandwidth="1GBps", latency="100ns"))],
)
def test_no_simulation_is_faster(make: Callable[[], Platform]) -> None:
    platform = make()
    hosts = np.arange(12)
    bound = LowerBound(platform)
    bound.add(hosts[:, None], hosts, np.where(hosts[:, None] == hosts, 0.0, 1e5))
    for model in ("Packets", "CM02"):
        settings = {"network/model": model, "smpi/simulate-computation": False}
        if model == "CM02":
            settings["network/crosstraffic"] = False
        seconds = pysmpi.simulate(exchange, np=12, platform=platform, cfg=settings, args=(100_000,)).values[0]
        assert bound.seconds <= seconds < 3 * bound.seconds


def test_links_that_are_not_shared_bound_nothing(describe: Callable[[str], Platform]) -> None:
    platform = describe(
        '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        '<link id="l" bandwidth="1GBps" latency="1us" sharing_policy="FATPIPE"/>'
        '<route src="a" dst="b"><link_ctn id="l"/></route></zone>'
    )
    bound = LowerBound(platform)
    bound.add([0, 1], [1, 0], 1e6)
    assert loads(bound, platform) == {"l": 2e6}
    assert (bound.busiest, bound.seconds) == (None, 0.0)


@pytest.mark.parametrize(
    ("sources", "destinations", "sizes", "message"),
    [
        (
            [0, 12],
            1,
            1.0,
            "sources: a value is not the number of a host of machine; hosts have the whole numbers from 0",
        ),
        ([0.5], 1, 1.0, "sources: a value is not"),
        ([0], [-1], 1.0, "destinations: a value is not"),
        ([0], 1, -1.0, "sizes: a size is negative"),
        ([0], 1, float("nan"), "sizes: a size is negative or not finite"),
        ([0, 1], [1, 2, 3], 1.0, "do not fit together"),
    ],
)
def test_wrong_messages(sources: list[float], destinations: list[int], sizes: float, message: str) -> None:
    with pytest.raises(PlatformError, match=message):
        LowerBound(torus(3, 2, hosts=2)).add(sources, destinations, sizes)


def test_wrong_draws() -> None:
    with pytest.raises(PlatformError, match="draws: 0 is not valid"):
        LowerBound(torus(3), draws=0)


def test_hosts_without_route(describe: Callable[[str], Platform]) -> None:
    platform = describe('<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/></zone>')
    bound = LowerBound(platform)
    with pytest.raises(PlatformError, match="no route from 'a' to 'b'"):
        bound.add([0, 0], [0, 1], 1.0)
    assert bound.messages == 1
