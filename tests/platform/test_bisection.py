"""Bisection bandwidth: formulas against maximum flows, and flows against all halves of small machines."""

import math
import pathlib
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.platform import (
    Cluster,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    FullMesh,
    Host,
    Hypercube,
    HyperX,
    Link,
    Platform,
    Route,
    SlimFly,
    Torus,
    Zone,
    read,
)
from pysmpi.platform.bisection import bandwidth_between, bisection_bandwidth
from pysmpi.platform.topologies import ClusterOfHosts

BANDWIDTH = 3e9
ROOT = pathlib.Path(__file__).parents[2]


def halves(platform: Platform) -> float:
    hosts = list(platform.hosts)
    middle = len(hosts) // 2
    return bandwidth_between(platform, hosts[:middle], hosts[middle:])


def assert_formula(cluster: ClusterOfHosts) -> None:
    platform = cluster.build()
    expected = bisection_bandwidth(platform)
    assert expected is not None
    assert math.isclose(halves(platform), expected, rel_tol=1e-5)


small = st.integers(1, 3)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(small, small, small), max_size=2), st.sampled_from([2, 4]), small, small)
def test_fat_trees(levels: list[tuple[int, int, int]], top: int, parents: int, cables: int) -> None:
    children, above, parallel = zip(*levels, (top, parents, cables), strict=True)
    if math.prod(children) <= 24:
        tree = FatTree(children, above, parallel, bandwidth=BANDWIDTH)
        expected = bisection_bandwidth(tree.build())
        assert expected is not None
        # D-mod-K leaves cables unused that the formula counts: a host always receives by the same cable, and parallel
        # ones are not all chosen. Never more passes.
        assert halves(tree.build()) <= expected * (1 + 1e-5)
        divides = all(below % (up * wide) == 0 for below, up, wide in zip(children, above, parallel, strict=True))
        if divides and above[0] == 1 and set(parallel) == {1}:
            assert math.isclose(halves(tree.build()), expected, rel_tol=1e-5)


@pytest.mark.parametrize(
    "cluster",
    [
        FatTree([4, 4], [1, 2], bandwidth=BANDWIDTH),
        FatTree([4, 4], [1, 4], bandwidth=BANDWIDTH),
        FatTree([4, 2, 1], [1, 2, 1], bandwidth=BANDWIDTH),
        Torus([4], bandwidth=BANDWIDTH),
        Torus([3, 4], bandwidth=BANDWIDTH),
        Torus([2, 3, 4], bandwidth=BANDWIDTH),
        Torus([2, 2], bandwidth=BANDWIDTH),
        Torus([2, 4], bandwidth=BANDWIDTH, split_duplex=False),
        Dragonfly(4, 1, 4, 2, green_cables=2, bandwidth=BANDWIDTH),
        Dragonfly(2, 2, 3, 2, blue_cables=2, black_cables=2, bandwidth=BANDWIDTH),
        Dragonfly(2, 1, 2, 1, blue_cables=4, green_cables=2, bandwidth=BANDWIDTH),
        DragonflyPlus(4, 2, 2, 2, bandwidth=BANDWIDTH),
        DragonflyPlus(2, 2, 2, 3, 2, bandwidth=BANDWIDTH),
        HyperX([3, 4], 2, bandwidth=BANDWIDTH),
        HyperX([4, 4], 3, [2, 1], bandwidth=BANDWIDTH),
        HyperX([2], 5, bandwidth=BANDWIDTH),
        Hypercube(1, bandwidth=BANDWIDTH),
        Hypercube(4, bandwidth=BANDWIDTH),
        FullMesh(7, bandwidth=BANDWIDTH),
        FullMesh(8, bandwidth=BANDWIDTH),
        Cluster(9, bandwidth=BANDWIDTH),
        Cluster(9, bandwidth=BANDWIDTH, backbone_bandwidth=BANDWIDTH),
        Cluster(9, bandwidth=BANDWIDTH, backbone_bandwidth=BANDWIDTH, backbone_policy="FATPIPE"),
        Cluster(8, bandwidth=BANDWIDTH, limiter=BANDWIDTH / 4),
    ],
    ids=str,
)
def test_formulas(cluster: ClusterOfHosts) -> None:
    """Machines whose halves in the order of hosts have the least bandwidth between them."""
    assert_formula(cluster)


@pytest.mark.parametrize(
    "cluster",
    [
        FatTree([2, 4], [1, 1]),
        FatTree([4, 2], [1, 2]),
        Torus([8]),
        Torus([2, 4]),
        Hypercube(3),
        FullMesh(6),
        HyperX([2, 4], 1),
        HyperX([4], 2, [3]),
        Dragonfly(2, 1, 2, 2),
        DragonflyPlus(2, 1, 2, 2),
        DragonflyPlus(4, 2, 2, 1),
        Cluster(7),
    ],
    ids=str,
)
def test_no_other_halves_have_less_between_them(cluster: ClusterOfHosts) -> None:
    platform = cluster.build()
    hosts = list(platform.hosts)
    flows = [
        bandwidth_between(platform, half, [host for host in hosts if host not in half])
        for half in combinations(hosts, len(hosts) // 2)
    ]
    expected = bisection_bandwidth(platform)
    assert expected is not None
    assert math.isclose(min(flows), expected, rel_tol=1e-5)


@pytest.mark.parametrize(
    ("cluster", "known"),
    [
        (SlimFly(5), False),  # 200 hosts
        (SlimFly(3, 1), True),
        (Torus([5, 5, 5]), False),
        (Torus([3, 3]), True),
        (FatTree([65, 1], [1, 1]), False),
        (Dragonfly(3, 1, 4, 8), False),
        (Dragonfly(2, 1, 40, 2, blue_cables=80), False),  # its groups are narrower inside than between them
        (Torus([100, 10], limiter=1e9), False),
        (Cluster(1), False),
        (Hypercube(20), True),
    ],
    ids=str,
)
def test_what_is_not_known(cluster: ClusterOfHosts, known: bool) -> None:
    assert (bisection_bandwidth(cluster.build()) is not None) == known


def test_a_million_hosts() -> None:
    tree = FatTree([32] * 4, [1, 32, 32, 16], bandwidth=BANDWIDTH).build()
    assert bisection_bandwidth(tree) == 2**20 / 4 * BANDWIDTH


def test_zones() -> None:
    platform = read(ROOT / "platforms" / "two_clusters.xml")
    assert bisection_bandwidth(platform) == 10e9 / 8


def test_links_that_limit_nothing() -> None:
    one, other, link = Host("a"), Host("b"), Link("l", policy="FATPIPE")
    assert bisection_bandwidth(Zone("z", [one, other, link, Route(one, other, [link])]).build()) == math.inf
    assert bisection_bandwidth(Zone("z", [one, other]).build()) == 0
    assert bisection_bandwidth(Zone("z", [one]).build()) is None
