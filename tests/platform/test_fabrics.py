"""Topologies beyond SimGrid's against the graphs of their links."""

import math
from collections import Counter, deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.platform import Platform, PlatformError
from pysmpi.platform.builder import Builder
from pysmpi.platform.cluster import ClusterDescription
from pysmpi.platform.machine import Link
from pysmpi.platform.topology import TOPOLOGIES


def cluster(topology: str, parameters: str, **settings: object) -> Platform:
    hosts = TOPOLOGIES[topology].parse(parameters, "test").hosts
    description = ClusterDescription(
        "c", "h", "", [(0, hosts)], [1e9], 1e9, 1e-6, topology=topology, parameters=parameters
    )
    for name, value in settings.items():
        setattr(description, name, value)
    builder = Builder()
    builder.add_cluster(description)
    return builder.finish("test")


def ends_of(link: Link) -> tuple[str, str]:
    """Return both ends of a link by its name: c_link_from_switch_0_to_switch_4_UP goes from switch_0 to switch_4."""
    name, _, direction = link.name.rpartition("_")
    lower, _, upper = name.partition("_link_from_")[2].partition("_to_")
    upper = upper.partition("_cable_")[0]
    lower, upper = (end if "_" in end else f"host_{end}" for end in (lower, upper))
    return (lower, upper) if direction == "UP" else (upper, lower)


class Graph:
    """Nodes and links of a platform, from the names of links."""

    def __init__(self, platform: Platform) -> None:
        names = [link.name for link in platform.links]
        assert len(set(names)) == len(names)
        self.links = [ends_of(link) for link in platform.links]
        self.neighbours: dict[str, set[str]] = {f"host_{host.index}": set() for host in platform.hosts}
        for begin, end in self.links:
            self.neighbours.setdefault(begin, set()).add(end)
        self.switches = [node for node in self.neighbours if node.startswith("switch")]

    def distances(self, start: str) -> dict[str, int]:
        found = {start: 0}
        waiting = deque([start])
        while waiting:
            node = waiting.popleft()
            for other in self.neighbours[node]:
                if other not in found:
                    found[other] = found[node] + 1
                    waiting.append(other)
        return found

    def degrees(self) -> list[int]:
        count = Counter(begin for begin, end in self.links if begin.startswith("switch") and end.startswith("switch"))
        return [count[f"switch_{number}"] for number in range(len(self.switches))]

    def diameter(self, start: str) -> int:
        return max(steps for node, steps in self.distances(start).items() if node.startswith("host"))


def assert_walk(platform: Platform, source: int, destination: int, *, message: int = 0) -> int:
    """Assert that each link begins where the one before ended and adds its latency; return the number of links."""
    route = platform.route(platform.hosts[source], platform.hosts[destination], message=message)
    place = f"host_{source}"
    for link in route.links:
        begin, end = ends_of(link)
        assert begin == place
        place = end
    assert place == f"host_{destination}"
    assert math.isclose(route.latency, len(route.links) * 1e-6)
    return len(route.links)


def assert_shortest(platform: Platform, data: st.DataObject) -> None:
    graph = Graph(platform)
    hosts = st.integers(0, len(platform.hosts) - 1)
    source = data.draw(hosts)
    distances = graph.distances(f"host_{source}")
    for destination in data.draw(st.lists(hosts, max_size=20)):
        if destination != source:
            assert assert_walk(platform, source, destination) == distances[f"host_{destination}"]


SLIM_FLY_ORDERS = [3, 4, 5, 7, 8, 9, 11, 13]
small_shapes = st.one_of(
    st.tuples(
        st.just("HYPERX"),
        st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=3).flatmap(
            lambda dimensions: st.integers(1, 3).map(
                lambda hosts: ";".join(
                    [*(",".join(str(each[part]) for each in dimensions) for part in range(2)), str(hosts)]
                )
            )
        ),
    ),
    st.tuples(
        st.just("DRAGONFLY_PLUS"),
        st.tuples(*[st.integers(1, most) for most in (5, 4, 4, 4, 2)]).map(
            lambda each: f"{each[0]},{each[1]};{each[2]};{each[3]};{each[4]}"
        ),
    ),
    st.tuples(st.just("SLIM_FLY"), st.sampled_from(SLIM_FLY_ORDERS[:3]).map(lambda order: f"{order};2")),
    st.tuples(
        st.just("TORUS"),
        st.tuples(st.lists(st.integers(2, 5), min_size=1, max_size=3), st.integers(1, 3)).map(
            lambda each: f"{','.join(map(str, each[0]))};{each[1]}"
        ),
    ),
    st.tuples(st.just("HYPERCUBE"), st.integers(1, 5).map(str)),
    st.tuples(st.just("FULL_MESH"), st.integers(1, 12).map(str)),
)


@settings(deadline=None, max_examples=60)
@given(small_shapes, st.data())
def test_routes_are_shortest_walks(shape: tuple[str, str], data: st.DataObject) -> None:
    assert_shortest(cluster(*shape), data)


@settings(deadline=None, max_examples=60)
@given(small_shapes, st.data())
def test_detours_are_walks(shape: tuple[str, str], data: st.DataObject) -> None:
    platform = cluster(*shape, properties={"routing": "valiant"})
    hosts = st.integers(0, len(platform.hosts) - 1)
    for source, destination, message in data.draw(
        st.lists(st.tuples(hosts, hosts, st.integers(0, 2**64 - 1)), max_size=20)
    ):
        if source != destination:
            steps = assert_walk(platform, source, destination, message=message)
            assert steps == assert_walk(platform, source, destination, message=message)


@pytest.mark.parametrize("order", SLIM_FLY_ORDERS)
def test_slim_fly_counts(order: int) -> None:
    """2q² switches of degree (3q - d) / 2, at most two steps apart, for all residues and for powers of primes."""
    graph = Graph(cluster("SLIM_FLY", f"{order};1"))
    remainder = {0: 0, 1: 1, 3: -1}[order % 4]
    assert len(graph.switches) == 2 * order**2
    assert set(graph.degrees()) == {(3 * order - remainder) // 2}
    assert {graph.diameter(f"switch_{number}") for number in range(0, 2 * order**2, order)} == {2 + 1}


def test_slim_fly_routes_between_all_pairs() -> None:
    """Each of the eight cases of sides and rows, for an odd prime, a power of one, and a power of two."""
    for order in (5, 7, 8, 9):
        platform = cluster("SLIM_FLY", f"{order};1")
        graph = Graph(platform)
        for source in range(0, len(platform.hosts), 3):
            distances = graph.distances(f"host_{source}")
            for destination in range(len(platform.hosts)):
                if source != destination:
                    assert assert_walk(platform, source, destination) == distances[f"host_{destination}"]


@pytest.mark.parametrize(
    ("groups", "chassis", "blades", "cables"), [(5, 5, 5, 1), (6, 3, 4, 2), (9, 2, 2, 4), (3, 3, 5, 1)]
)
@pytest.mark.parametrize("routing", ["minimal", "valiant"])
def test_a_dragonfly_with_global_cables(groups: int, chassis: int, blades: int, cables: int, routing: str) -> None:
    """The global cables are SST/macro's, and ways are walks: x, y, global, x, y; twice that for detours."""
    parameters = f"{groups},1;{chassis},1;{blades},1;2;{cables}"
    platform = cluster("DRAGONFLY", parameters, properties={"routing": routing})
    routers = chassis * blades
    expected = {
        (
            router,
            (router // routers + (router % routers) + d * max(1, groups // cables)) % groups * routers
            + router % routers,
        )
        for router in range(groups * routers)
        for d in range(cables)
    }
    between = {
        (int(begin[7:]), int(end[7:]))
        for link in platform.links
        for begin, end in [ends_of(link)]
        if link.name.endswith("_UP") and "_cable_" in link.name
    }
    assert between == expected
    for source in range(0, len(platform.hosts), 3):
        for destination in range(1, len(platform.hosts), 7):
            if source != destination:
                assert assert_walk(platform, source, destination, message=source) <= 2 + (
                    5 if routing == "minimal" else 10
                )
    host = platform.hosts[0]
    used = [
        link for other in platform.hosts[1:] for link in platform.route(host, other).links if "_cable_" in link.name
    ]
    assert not any(link.name.endswith("_DOWN") for link in used)


def test_a_torus_of_switches() -> None:
    platform = cluster("TORUS", "5,4,3;2")
    graph = Graph(platform)
    assert len(platform.hosts) == 5 * 4 * 3 * 2
    assert len(graph.switches) == 5 * 4 * 3
    assert set(graph.degrees()) == {6}
    assert graph.diameter("switch_0") == 2 + 2 + 1 + 1
    names = [link.name for link in platform.route("h1", "h53").links]  # from switch (0, 0, 0) to (1, 1, 1)
    assert names == [
        "c_link_from_host_1_to_switch_0_UP",
        "c_link_from_switch_0_to_switch_1_UP",
        "c_link_from_switch_1_to_switch_6_UP",
        "c_link_from_switch_6_to_switch_26_UP",
        "c_link_from_host_53_to_switch_26_DOWN",
    ]


def test_hyperx_counts() -> None:
    platform = cluster("HYPERX", "3,4,2;1,2,3;5")
    graph = Graph(platform)
    assert len(platform.hosts) == 3 * 4 * 2 * 5
    assert len(graph.switches) == 3 * 4 * 2
    assert set(graph.degrees()) == {2 + 3 + 1}
    assert graph.diameter("switch_0") == 3 + 1
    bandwidths = [link.bandwidth for link in platform.links if link.name.count("switch") == 2]
    assert sorted(set(bandwidths)) == [1e9, 2e9, 3e9]
    assert bandwidths.count(2e9) == 2 * (4 * 3 // 2) * (3 * 2)


def test_dragonfly_plus_counts() -> None:
    platform = cluster("DRAGONFLY_PLUS", "5,2;4;3;2")
    graph = Graph(platform)
    assert len(platform.hosts) == 5 * 3 * 2
    assert len(graph.switches) == 5 * (4 + 3)
    assert graph.degrees() == [4] * 15 + [3 + 2] * 20  # spines: 4 other groups, 2 cables to each, 4 spines
    assert graph.diameter("switch_0") == 3 + 1


@pytest.mark.parametrize("dimensions", [1, 5])
def test_hypercube_counts(dimensions: int) -> None:
    platform = cluster("HYPERCUBE", str(dimensions))
    graph = Graph(platform)
    assert len(platform.hosts) == 2**dimensions
    assert all(len(neighbours) == dimensions for neighbours in graph.neighbours.values())
    assert graph.diameter("host_0") == dimensions


def test_full_mesh_counts() -> None:
    platform = cluster("FULL_MESH", "9")
    graph = Graph(platform)
    assert len(platform.links) == 9 * 8
    assert graph.diameter("host_0") == 1


def test_hypercube_routes_by_e_cube() -> None:
    platform = cluster("HYPERCUBE", "4")
    names = [link.name for link in platform.route("h5", "h10").links]
    assert names == [
        "c_link_from_4_to_5_DOWN",
        "c_link_from_4_to_6_UP",
        "c_link_from_2_to_6_DOWN",
        "c_link_from_2_to_10_UP",
    ]


@pytest.mark.parametrize(
    ("topology", "parameters"),
    [
        ("HYPERX", "3,3;1,1;2"),
        ("SLIM_FLY", "4;2"),
        ("DRAGONFLY_PLUS", "4,1;2;2;2"),
        ("HYPERCUBE", "4"),
        ("FULL_MESH", "7"),
    ],
)
def test_limiters_loopbacks_and_shared_cables(topology: str, parameters: str) -> None:
    shape = TOPOLOGIES[topology].parse(parameters, "test")
    platform = cluster(topology, parameters, loopback=(5e9, 1e-7), limiter=2e9, split_duplex=False)
    assert len(platform.links) == 2 * shape.hosts + shape.switches + shape.cables
    names = [link.name for link in platform.links]
    assert len(set(names)) == len(names)
    assert [link.name for link in platform.route("h1", "h1").links] == ["c_link_1_loopback"]
    last = shape.hosts - 1
    route = [link.name for link in platform.route("h0", f"h{last}").links]
    cables = [name for name in route if not name.endswith("_limiter")]
    assert route[0] == "c_link_0_limiter"
    assert route[-1] == f"c_link_{last}_limiter"
    assert len(route) == 2 * len(cables) + 1
    there, back = (platform.route(*ends).links for ends in (("h0", "h1"), ("h1", "h0")))
    assert [link.name for link in there] == [link.name for link in back][::-1]


@pytest.mark.parametrize(
    ("topology", "parameters", "message"),
    [
        ("SLIM_FLY", "6;4", r"the order q must be a power of a prime from 3 to 1024, but it is 6 \(nearest: 5 and 7\)"),
        ("SLIM_FLY", "2;4", r"but it is 2 \(nearest: 3\)"),
        ("SLIM_FLY", "5", "a SLIM_FLY takes 2 parts, 'q;hosts', such as '5;4'; there are 1"),
        ("HYPERX", "4,4;1;4", "2 sizes, but 1 numbers of cables"),
        ("HYPERX", "4,4;1,1;4,4", "hosts of a switch is one number, not '4,4'"),
        ("DRAGONFLY_PLUS", "4;2;2;2", "groups and cables between two of them take 2 numbers, not '4'"),
        ("HYPERCUBE", "31", "a HYPERCUBE takes one number, the number of dimensions, from 1 to 30"),
        ("FULL_MESH", "3,3", "a FULL_MESH takes one number"),
        ("HYPERX", "0;1;1", "'0' is not a number from 1"),
    ],
)
def test_parameters_that_make_no_sense(topology: str, parameters: str, message: str) -> None:
    with pytest.raises(PlatformError, match=message):
        TOPOLOGIES[topology].parse(parameters, "here")
