"""Laws of computed routes, and memory of clusters of any size."""

import math
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.platform import Platform
from pysmpi.platform.builder import Builder
from pysmpi.platform.cluster import ClusterDescription
from pysmpi.platform.machine import Route


def cluster(topology: str, parameters: str, hosts: int, **settings: object) -> Platform:
    builder = Builder()
    description = ClusterDescription(
        "c", "h", "", [(0, hosts)], [1e9], 1e9, 1e-6, topology=topology, parameters=parameters
    )
    for name, value in settings.items():
        setattr(description, name, value)
    builder.add_cluster(description)
    return builder.finish("test")


def ends_of(name: str) -> tuple[str, str]:
    """Return lower and upper end of a cable, from names such as link_from_0_7_3_UP and c_link_from_0_to_1_DOWN."""
    numbers = [word for word in name.split("_") if word.lstrip("-").isdigit()]
    return numbers[0], numbers[1]


def assert_connected(route: Route, source: int, destination: int) -> None:
    place = str(source)
    for link in route.links:
        lower, upper = ends_of(link.name)
        begin, end = (lower, upper) if link.name.endswith("_UP") else (upper, lower)
        assert place == begin
        place = end
    assert place == str(destination)


@st.composite
def fat_trees(draw: st.DrawFn, levels: int = 4, most: tuple[int, int, int] = (9, 5, 3)) -> list[list[int]]:
    count = draw(st.integers(1, levels))
    return [draw(st.lists(st.integers(1, each), min_size=count, max_size=count)) for each in most]


def parameters_of(shape: list[list[int]]) -> str:
    return ";".join([str(len(shape[0])), *(",".join(map(str, part)) for part in shape)])


@settings(deadline=None)
@given(fat_trees(), st.data())
def test_fat_tree_routes_connect_by_the_shortest_way(shape: list[list[int]], data: st.DataObject) -> None:
    """Up to the lowest level under which both hosts are, and down; each cable adds its latency."""
    children = shape[0]
    hosts = math.prod(children)
    platform = cluster("FAT_TREE", parameters_of(shape), hosts)
    source, destination = (data.draw(st.integers(0, hosts - 1)) for _ in range(2))
    route = platform.route(f"h{source}", f"h{destination}")
    assert_connected(route, source, destination)
    level = 1
    while source // math.prod(children[:level]) != destination // math.prod(children[:level]):
        level += 1
    directions = [link.name.rsplit("_")[-1] for link in route.links]
    assert directions == ["UP"] * level + ["DOWN"] * level
    assert math.isclose(route.latency, 2 * level * 1e-6)


@settings(deadline=None)
@given(fat_trees(3, (4, 3, 2)))
def test_fat_tree_links_have_names_and_numbers_of_their_own(shape: list[list[int]]) -> None:
    children, parents, cables = shape
    hosts = nodes = math.prod(children)
    cable_links = switches = 0
    for down, up, parallel in zip(children, parents, cables, strict=True):
        cable_links += 2 * nodes * up * parallel
        nodes = nodes // down * up
        switches += nodes
    platform = cluster("FAT_TREE", parameters_of(shape), hosts, loopback=(1e9, 0.0), limiter=2e9)
    assert len(platform.links) == hosts + hosts + switches + cable_links
    names = [link.name for link in platform.links[hosts + hosts + switches :]]
    assert len(set(names)) == len(names)
    assert all(name.startswith("link_from_") for name in names)


@settings(deadline=None)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.data())
def test_torus_routes_connect(sizes: list[int], data: st.DataObject) -> None:
    hosts = math.prod(sizes)
    platform = cluster("TORUS", ",".join(map(str, sizes)), hosts)
    source, destination = (data.draw(st.integers(0, hosts - 1)) for _ in range(2))
    if source == destination:
        return
    route = platform.route(f"h{source}", f"h{destination}")
    assert_connected(route, source, destination)
    assert len(route.links) <= sum(sizes)
    assert math.isclose(route.latency, len(route.links) * 1e-6)


@settings(deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.data())
def test_detours_in_a_torus_connect(sizes: list[int], data: st.DataObject) -> None:
    hosts = math.prod(sizes)
    platform = cluster("TORUS", ",".join(map(str, sizes)), hosts, properties={"routing": "valiant"})
    source, destination = (data.draw(st.integers(0, hosts - 1)) for _ in range(2))
    if source != destination:
        route = platform.route(f"h{source}", f"h{destination}", message=data.draw(st.integers(0, 1000)))
        assert_connected(route, source, destination)
        assert len(route.links) <= 2 * sum(sizes)


@settings(deadline=None)
@given(st.integers(2, 4), st.integers(1, 3), st.integers(2, 5), st.integers(1, 2), st.data())
def test_detours_in_a_dragonfly_connect(
    groups: int, chassis: int, blades: int, hosts: int, data: st.DataObject
) -> None:
    """Each link leaves the router at which the one before ended; at most two are blue."""
    groups = min(groups, blades)
    count = groups * chassis * blades * hosts
    platform = cluster(
        "DRAGONFLY", f"{groups},1;{chassis},1;{blades},1;{hosts}", count, properties={"routing": "valiant"}
    )
    source, destination = (data.draw(st.integers(0, count - 1)) for _ in range(2))
    links = platform.route(f"h{source}", f"h{destination}", message=data.draw(st.integers(0, 1000))).links

    def router(host: int) -> tuple[int, int, int]:
        return host // hosts // blades // chassis, host // hosts // blades % chassis, host // hosts % blades

    def across(ends: tuple[int, int], up: bool, here: int) -> int:
        begin, end = ends if up else ends[::-1]
        assert begin == here
        return end

    group, cage, blade = router(source)
    for link in links[1:-1]:
        up = link.name.endswith("_UP")
        numbers = [int(word) for word in link.name.split("_") if word.isdigit()]
        match link.name.partition("_")[0]:
            case "green":
                assert numbers[0] == cage
                blade = across((numbers[1], numbers[2]), up, blade)
            case "black":
                assert (numbers[0], numbers[3]) == (group, blade)
                cage = across((numbers[1], numbers[2]), up, cage)
            case "blue":
                assert cage == 0
                other = across((numbers[0], numbers[1]), up, group)
                assert blade == other
                group, blade = other, group
    assert (group, cage, blade) == router(destination)
    assert sum(link.name.startswith("blue") for link in links) <= 2


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), st.integers(1, 3), st.data())
def test_dragonfly_routes_are_minimal(groups: int, chassis: int, blades: int, hosts: int, data: st.DataObject) -> None:
    """At most one blue link, two green and two black ones, between the local links at both ends."""
    groups = min(groups, blades)
    count = groups * chassis * blades * hosts
    platform = cluster("DRAGONFLY", f"{groups},2;{chassis},3;{blades},4;{hosts}", count)
    source, destination = (data.draw(st.integers(0, count - 1)) for _ in range(2))
    links = platform.route(f"h{source}", f"h{destination}").links
    kinds = [link.name.split("_", 1)[0] for link in links]
    assert kinds[0] == kinds[-1] == "local"
    assert len(links) <= 7
    group_of = count // groups
    assert kinds.count("blue") == (source // group_of != destination // group_of)
    bandwidths = {"local": 1e9, "green": 4e9, "black": 3e9, "blue": 2e9}
    assert all(link.bandwidth == bandwidths[kind] for link, kind in zip(links, kinds, strict=True))
    assert len({link.name for link in platform.links}) == len(platform.links)


def test_a_million_hosts_cost_what_their_description_costs(describe: Callable[[str], Platform]) -> None:
    tracemalloc.start()
    platform = describe(
        '<cluster id="big" prefix="n" suffix="" radical="0-1048575" speed="1Gf" bw="12.5GBps" lat="150ns" '
        'topology="FAT_TREE" topo_parameters="4;32,32,32,32;1,32,32,32;1,1,1,1"/>'
    )
    assert len(platform.hosts) == 2**20
    assert len(platform.links) == 4 * 2**20 * 2
    route = platform.route("n0", "n1048575")
    assert_connected(route, 0, 2**20 - 1)
    assert platform.host("n777777").index == 777777
    assert platform.hosts[-1].name == "n1048575"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000


def test_the_d_of_d_mod_k_counts_on_over_fat_trees(describe: Callable[[str], Platform]) -> None:
    """The second tree of a platform continues the positions of the first one, in SimGrid too."""
    tree = (
        '<cluster id="{0}" prefix="{0}" suffix="" radical="0-2" speed="1Gf" bw="1GBps" lat="0" topology="FAT_TREE" '
        'topo_parameters="1;3;2;1"/>'
    )
    platform = describe(
        f'<zone id="w" routing="Full">{tree.format("a")}{tree.format("b")}<link id="l" bandwidth="1GBps"/>'
        '<zoneRoute src="a" dst="b" gw_src="a0" gw_dst="b0"><link_ctn id="l"/></zoneRoute></zone>'
    )
    assert [link.name for link in platform.route("a0", "a1").links] == ["link_from_0_4_1_UP", "link_from_1_4_3_DOWN"]
    assert [link.name for link in platform.route("b0", "b1").links] == ["link_from_0_5_6_UP", "link_from_1_5_8_DOWN"]


def test_native_memory_of_large_platforms(tmp_path: Path) -> None:
    before = resident()
    kept = [cluster("TORUS", "100,100,100", 1_000_000) for _ in range(200)]
    assert len(kept[-1].hosts) == 1_000_000
    assert resident() - before < 32 * 2**20


def resident() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


def test_router_of_a_topology_without_one(describe: Callable[[str], Platform]) -> None:
    cluster = (
        '<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us" topology="{}" '
        'topo_parameters="{}" router_id="way_out"/>'
    )
    for topology, parameters in (("FAT_TREE", "1;4;1;1"), ("TORUS", "2,2"), ("DRAGONFLY", "1,1;1,1;1,1;4")):
        assert len(describe(cluster.format(topology, parameters)).hosts) == 4
