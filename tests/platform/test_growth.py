"""Growth of platforms: the larger machine equals one that is described directly; platforms that cannot grow."""

import pathlib
from fractions import Fraction

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform import Cluster, Description, Host, Link, Platform, Router, Torus, Zone, ZoneRoute, read
from pysmpi.platform.cluster_spec import EXAMPLES
from pysmpi.platform.growth import grown
from pysmpi.platform.topologies.cluster_of_hosts import near_cube

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">'


def described(platform: Platform) -> list[object]:
    """Return all that tells two platforms apart: hosts, links, and some routes."""
    hosts, links = list(platform.hosts), list(platform.links)
    routes = [platform.route(hosts[0], other) for other in hosts[:: max(len(hosts) // 16, 1)]]
    return [hosts, links, routes]


@pytest.mark.parametrize(
    ("word", "factor", "other"),
    [
        ("flat:16:cores=4:bb_bw=20GBps", Fraction(2), "flat:32:cores=4:bb_bw=20GBps"),
        ("flat:15", Fraction("1.6"), "flat:24"),
        ("flat:9", Fraction(1, 3), "flat:3"),
        ("fattree:2/4,6/1,2/1,3:routing=random", Fraction(3, 2), "fattree:2/4,9/1,2/1,3:routing=random"),
        ("torus:4,4,4", Fraction(2), "torus:4,4,8"),
        ("torus:4,4,8", Fraction(2), "torus:4,8,8"),
        ("dragonfly:2,4/3,2/4,1/2:limiter=9GBps", Fraction(2), "dragonfly:4,4/3,2/4,1/2:limiter=9GBps"),
        ("dragonfly+:9,2/4/4/4", Fraction(1, 3), "dragonfly+:3,2/4/4/4"),
        ("hyperx:2,4/3,1/4", Fraction(2), "hyperx:4,4/3,1/4"),
        ("hypercube:6", Fraction(1, 4), "hypercube:4"),
        ("fullmesh:16:loopback_bw=1GBps", Fraction(1, 2), "fullmesh:8:loopback_bw=1GBps"),
    ],
)
def test_a_grown_platform_equals_the_one_of_that_size(word: str, factor: Fraction, other: str) -> None:
    platform = read(word)
    larger = grown(platform, factor)
    assert described(larger) == described(read(other))
    assert described(platform) == described(read(word))
    assert larger.source == f"{word} with nodes*{float(factor):g}"


@pytest.mark.parametrize("word", EXAMPLES)
def test_every_topology_doubles_or_says_why_not(word: str) -> None:
    platform = read(word)
    try:
        larger = grown(platform, Fraction(2))
    except PlatformError as error:
        assert word.startswith(("dragonfly:", "slimfly:")), error  # more groups than blades; no fixed factor
    else:
        assert len(larger.hosts) == 2 * len(platform.hosts)
        assert described(grown(larger, Fraction(1, 2))) == described(platform)


def test_near_cube() -> None:
    """The shortest dimension grows, the longest shrinks, if the new size is whole; of equal ones, the last does."""
    assert near_cube([8, 4, 4], Fraction(2)) == [8, 4, 8]
    assert near_cube([8, 8, 4], Fraction(1, 2)) == [8, 4, 4]
    assert near_cube([3, 4], Fraction(3, 2)) == [3, 6]
    with pytest.raises(PlatformError, match=r"none of the sizes 3,4 times 0.2 is a whole number"):
        near_cube([3, 4], Fraction(1, 5))


def test_a_file_with_one_cluster(tmp_path: pathlib.Path) -> None:
    """Numbers in host names continue; zones around the cluster, its properties and the file's settings stay."""
    file = tmp_path / "one.xml"
    file.write_text(
        HEAD + '<config><prop id="smpi/os" value="0"/></config><zone id="world" routing="Full"><prop id="p" value="1"/>'
        '<cluster id="c" prefix="n" suffix=".x" radical="4-5,0-1" speed="1Gf,2Gf" bw="1GBps" lat="1us" router_id="r">'
        '<prop id="watt_off" value="3"/></cluster></zone></platform>'
    )
    platform = read(file)
    larger, smaller = grown(platform, Fraction(2)), grown(platform, Fraction(3, 4))
    assert [host.name for host in smaller.hosts] == ["n4.x", "n5.x", "n0.x"]
    assert [host.name for host in larger.hosts] == [f"n{number}.x" for number in (4, 5, 0, 1, 6, 7, 8, 9)]
    assert {(host.speeds, host.properties["watt_off"]) for host in larger.hosts} == {((1e9, 2e9), "3")}
    assert (larger.zones, larger.config, larger.config_places) == (
        platform.zones, platform.config, platform.config_places,
    )  # fmt: skip
    assert larger.clusters[0][1].router == "r"


def two_clusters() -> Zone:
    first, second = Cluster(2, name="first"), Cluster(2, name="second")
    line = Link("line", "1GBps", "1us")
    return Zone("all", [first, second, line, ZoneRoute(first, second, [line])])


@pytest.mark.parametrize(
    ("platform", "reason"),
    [
        (two_clusters(), "it has 2 clusters"),
        (Zone("all", [Host("a", "1Gf")]), "it describes each host by itself"),
        (Zone("all", [Cluster(2), Zone("more", [Host("a", "1Gf")])]), "it has hosts beside its cluster"),
        (Zone("all", [Cluster(2), Zone("more", [Router("a")])]), "it has zones beside its cluster"),
    ],
)
def test_platforms_that_are_not_one_cluster(platform: Description, reason: str) -> None:
    with pytest.raises(PlatformError, match=rf"nodes\*2: .*{reason}; only a platform that consists of one cluster"):
        grown(platform.build(), Fraction(2))


def test_profiles_and_links_of_a_file(tmp_path: pathlib.Path) -> None:
    cluster = '<cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/>'
    profile = '<trace id="t" periodicity="-1">0 0.5</trace><trace_connect kind="SPEED" trace="t" element="n1"/>'
    link = '<link id="l" bandwidth="1GBps" latency="1us"/>'
    for inside, reason in ((cluster + profile, "a profile changes 'n1'"), (link + cluster, "it has links beside")):
        file = tmp_path / "file.xml"
        file.write_text(f'{HEAD}<zone id="world" routing="Full">{inside}</zone></platform>')
        with pytest.raises(PlatformError, match=reason):
            grown(read(file), Fraction(2))


@pytest.mark.parametrize(
    ("word", "factor", "what"),
    [
        ("flat:16", Fraction("0.3"), "16 hosts times 0.3 is not a whole number (valid factors: multiples of 1/16)"),
        ("fattree:2/4,3/1,2/1,1", Fraction(1, 2), "3 children of each switch of the top level times 0.5 is not"),
        ("torus:3,3", Fraction(1, 2), "none of the sizes 3,3 times 0.5 is a whole number"),
        ("dragonfly:4,1/1,1/4,1/1", Fraction(2), "8 groups need 8 blades in a chassis, but there are 4"),
        ("dragonfly+:3,2/4/4/4", Fraction(1, 2), "3 groups times 0.5 is not a whole number"),
        ("hypercube:3", Fraction(3), "8 times 3 is not (valid factors: powers of 2)"),
        ("hypercube:1", Fraction(1, 2), "dimensions of Hypercube 'cluster' is 0"),
        ("slimfly:5", Fraction(2), "a SLIM_FLY has 2q² switches"),
        ("flat:2", Fraction(10**12), "give a whole number from 1 to 2147483647"),
    ],
)
def test_sizes_that_a_topology_does_not_have(word: str, factor: Fraction, what: str) -> None:
    with pytest.raises(PlatformError) as caught:
        grown(read(word), factor)
    assert str(caught.value).startswith(f"nodes*{float(factor):g}: {word}: ") and what in str(caught.value)


def test_a_description_grows_unless_its_hosts_are_named() -> None:
    assert Torus([4, 2], name="t").grown(Fraction(2)) == Torus([4, 4], name="t")
    with pytest.raises(PlatformError, match="radical of Cluster 'cluster': '0-3' names 4 hosts, but there are 8"):
        Cluster(4, radical="0-3").grown(Fraction(2))
