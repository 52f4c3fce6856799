"""Errors in platform files: file and line, valid values, and the nearest match."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pysmpi.errors import PlatformError, PlatformWarning
from pysmpi.platform import Platform, read

Describe = Callable[[str], Platform]

CLUSTER = '<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>'
OTHER = CLUSTER.replace('"c"', '"d"')
WORLD = '<zone id="w" routing="Full">\n{}</zone>'
FAT_TREE = CLUSTER.replace("/>", ' topology="FAT_TREE" topo_parameters="{}"/>')
DRAGONFLY = CLUSTER.replace("/>", ' topology="DRAGONFLY" topo_parameters="{}"/>')
TWO_HOSTS = '<zone id="z" routing="Full">\n<host id="a" speed="1Gf"/>\n<host id="b" speed="1Gf"/>\n{}\n</zone>'
LINK = '<link id="backbone" bandwidth="1GBps"/>'
ROUTE = '<route src="a" dst="b">\n<link_ctn id="{}"/></route>'
BYPASS = '<bypassRoute src="{}" dst="{}"><link_ctn id="backbone"/></bypassRoute>'
ZONE_BYPASS = '<bypassZoneRoute src="{}" dst="{}" gw_src="{}" gw_dst="{}"><link_ctn id="backbone"/></bypassZoneRoute>'
VIVALDI = '<zone id="z" routing="Vivaldi"><host id="a" speed="1Gf" {}/></zone>'
PEER = '<peer id="p" speed="1Gf" bw_in="1GBps" bw_out="1GBps" coordinates="1 2 3"/>'
TWO_ZONES = (
    '<zone id="w" routing="Full">\n<zone id="y" routing="Full"><host id="a" speed="1Gf"/></zone>\n'
    f'<zone id="z" routing="Full"><host id="b" speed="1Gf"/></zone>\n{LINK}\n{{}}\n</zone>'
)
ZONE_ROUTE = '<zoneRoute src="{}" dst="{}" gw_src="{}" gw_dst="{}"><link_ctn id="backbone"/></zoneRoute>'


@pytest.mark.parametrize(
    ("zones", "line", "message"),
    [
        # Names of elements, attributes and values
        ("<clutser/>", 3, "unknown element in <platform> 'clutser'; did you mean 'cluster'?"),
        ("<host/>", 3, "<host> is not allowed in <platform> (valid: cabinet, cluster, config, include,"),
        ('<cluster id="c"\n sped="1Gf"/>', 3, "unknown attribute of <cluster> 'sped'; did you mean 'speed'?"),
        ('<cluster id="c"/>', 3, "<cluster> lacks the attribute 'prefix'"),
        (
            CLUSTER.replace("/>", ' topology="FATTREE"/>'),
            3,
            "unknown topology of <cluster> 'FATTREE'; did you mean 'FAT_TREE'?",
        ),
        (
            CLUSTER.replace("/>", ' sharing_policy="SPLIT"/>'),
            3,
            "did you mean 'SPLITDUPLEX'? (valid: SHARED, SPLITDUPLEX,",
        ),
        (
            '<zone id="z" routing="Ful"></zone>',
            3,
            "unknown routing 'Ful'; did you mean 'Full'? (valid: Full, Floyd, Dijkstra,",
        ),
        (TWO_HOSTS.format('<link id="l" bandwith="1Bps"/>'), 6, "'bandwith'; did you mean 'bandwidth'?"),
        # Units and numbers
        (CLUSTER.replace("1GBps", "1Gb"), 3, "bw '1Gb' of cluster 'c' has an unknown unit 'Gb'; did you mean 'Gbps'?"),
        (CLUSTER.replace("1us", "1"), 3, "lat '1' of cluster 'c' has no unit; write '1s' (seconds) or '1us'"),
        (CLUSTER.replace("1Gf", "1Gf,2"), 3, "speed '2' of cluster 'c' has no unit"),
        (CLUSTER.replace("/>", ' core="0"/>'), 3, "core '0' of cluster 'c' is not a whole number from 1"),
        (CLUSTER.replace("/>", ' core="1.5"/>'), 3, "core '1.5' of cluster 'c' is not a whole number"),
        (CLUSTER.replace("1GBps", "0"), 3, "bw '0' of cluster 'c' must be above 0"),
        (
            '<zone id="z" routing="Full">\n<host id="a" speed="1Gf,2Gf" pstate="2"/></zone>',
            4,
            "it has speeds for pstates 0 to 1 only",
        ),
        # Clusters
        (CLUSTER.replace("0-3", "3-0"), 3, "radical '3-0': '3-0' goes backwards; write '0-3'"),
        (CLUSTER.replace("0-3", "0-3,x"), 3, "'x' is neither a number nor a run such as '0-7'"),
        (CLUSTER.replace("0-3", "0-3,2"), 3, "radical '0-3,2' has the number 2 twice"),
        (FAT_TREE.format("1;5;1;1"), 3, "topo_parameters '1;5;1;1': 5 makes 5 hosts, but the radical names 4"),
        (FAT_TREE.format("2;2,3;1,1;1,1"), 3, "2 x 3 makes 6 hosts, but the radical names 4"),
        (FAT_TREE.format("2;2,2;1;1,1"), 3, "2 levels, but 1 numbers of parents ('1')"),
        (FAT_TREE.format("2;2,2;1,1"), 3, "takes 4 parts, 'levels;children,…;parents,…;cables,…'"),
        (FAT_TREE.format("2;2,2;1,0;1,1"), 3, "parents: '0' is not a number from 1"),
        (FAT_TREE.format("33;1;1;1"), 3, "the first part is the number of levels, from 1 to 32"),
        (FAT_TREE.format("1;4;1;1").replace("FAT_TREE", "TORUS"), 3, "a TORUS takes 2 parts"),
        (FAT_TREE.format("2,3").replace("FAT_TREE", "TORUS"), 3, "2 x 3 makes 6 hosts, but the radical names 4"),
        (DRAGONFLY.format("2,1;1,1;1,1;2"), 3, "2 groups need 2 blades in a chassis"),
        (DRAGONFLY.format("2,1;1,1;2;1"), 3, "blades and green links take 2 numbers, not '2'"),
        (
            CLUSTER.replace("/>", ' topo_parameters="2"/>'),
            3,
            "topo_parameters '2' of cluster 'c': topology FLAT takes none",
        ),
        (
            FAT_TREE.format("1;4;1;1").replace("/>", ' bb_bw="1GBps"/>'),
            3,
            "bb_bw is for clusters of topology FLAT; 'c' is a FAT_TREE",
        ),
        (CLUSTER.replace("/>", ' loopback_lat="1us"/>'), 3, "cluster 'c' has loopback_lat but no loopback_bw"),
        # Names that are there twice, or not at all
        (TWO_HOSTS.format('<host id="a" speed="1Gf"/>'), 6, "host or router 'a' is described twice; first in line 4"),
        (TWO_HOSTS.format('<router id="b"/>'), 6, "host or router 'b' is described twice; first in line 5"),
        (TWO_HOSTS.format(LINK + "\n" + LINK), 7, "link 'backbone' is described twice; first in line 6"),
        (
            TWO_HOSTS.format(
                '<link id="l" bandwidth="1Bps" sharing_policy="SPLITDUPLEX"/><link id="l_UP" bandwidth="1Bps"/>'
            ),
            6,
            "link 'l_UP' is described twice; first in line 6",
        ),
        (WORLD.format(CLUSTER + "\n" + CLUSTER), 5, "'nc_router' is described twice; first in line 4"),
        (
            WORLD.format(CLUSTER + "\n" + CLUSTER.replace('"n"', '"m"')),
            5,
            "zone 'c' is described twice; first in line 4",
        ),
        (
            WORLD.format(CLUSTER + "\n" + OTHER.replace("0-3", "3-5")),
            5,
            "host 'n3' is described twice; first in line 4",
        ),
        (
            WORLD.format(CLUSTER.replace("0-3", "10-12") + "\n" + OTHER.replace('"n"', '"n1"')),
            5,
            "host 'n10' is described twice; first in line 4",
        ),
        (
            WORLD.format(f'<zone id="z" routing="Full"><host id="n2" speed="1Gf"/></zone>\n{CLUSTER}'),
            5,
            "host 'n2' is described twice; first in line 4",
        ),
        (CLUSTER + "\n" + OTHER, 4, "zone 'd' is a second root"),
        (
            TWO_HOSTS.format(LINK + "\n" + ROUTE.format("backborn")),
            7,
            "unknown link 'backborn'; did you mean 'backbone'? (valid: backbone)",
        ),
        (
            TWO_HOSTS.format(LINK + '\n<route src="a" dst="bb"><link_ctn id="backbone"/></route>'),
            7,
            "unknown host or router 'bb'; did you mean 'b'?",
        ),
        # Routes
        (
            TWO_HOSTS.format('<route src="a" dst="b"/>'),
            6,
            "route from 'a' to 'b' has no links; list them with link_ctn",
        ),
        (
            TWO_HOSTS.format(
                LINK + ROUTE.format("backbone") + "\n" + ROUTE.format("backbone").replace('"a" dst="b"', '"b" dst="a"')
            ),
            8,
            "route from 'b' to 'a' is listed twice",
        ),
        (
            TWO_HOSTS.format(LINK.replace("/>", ' sharing_policy="SPLITDUPLEX"/>') + ROUTE.format("backbone")),
            6,
            "link 'backbone' is split (SPLITDUPLEX); give direction UP or DOWN",
        ),
        (
            TWO_HOSTS.format(LINK + '<route src="a" dst="b"><link_ctn id="backbone" direction="UP"/></route>'),
            6,
            "link 'backbone' is not split",
        ),
        (TWO_ZONES.format(ZONE_ROUTE.format("y", "zz", "a", "b")), 7, "unknown zone 'zz'; did you mean 'z'?"),
        (TWO_ZONES.format(ZONE_ROUTE.format("y", "z", "a", "c")), 7, "unknown host or router 'c'"),
        (TWO_ZONES.format(ZONE_ROUTE.format("y", "z", "b", "a")), 7, "gateway 'b' is not in zone 'y'"),
        (TWO_ZONES.format(ZONE_ROUTE.format("y", "z", "a", "a")), 7, "both gateways are 'a'"),
        (TWO_ZONES.format(ZONE_ROUTE.format("y", "w", "a", "b")), 7, "zone 'w' is not in zone 'w'"),
        (
            TWO_ZONES.format('<route src="a" dst="b"><link_ctn id="backbone"/></route>'),
            7,
            "zone 'w' contains zones; it cannot contain hosts and routers too",
        ),
        (TWO_HOSTS.format(CLUSTER), 6, "zone 'z' contains hosts and routers; it cannot contain zones too"),
        (
            TWO_HOSTS.format('<host_link id="a" up="x" down="x"/>'),
            6,
            "host_link belongs in a zone of routing Cluster; 'z' has routing Full",
        ),
        (
            TWO_HOSTS.format(LINK + ROUTE.format("backbone")).replace("Full", "None"),
            6,
            "zone 'z' has routing None, which takes no routes",
        ),
        # Bypasses
        (TWO_HOSTS.format('<bypassRoute src="a" dst="b"/>'), 6, "bypassRoute from 'a' to 'b' has no links"),
        (TWO_HOSTS.format(LINK + BYPASS.format("a", "c")), 6, "unknown host or router 'c'"),
        (TWO_HOSTS.format(LINK + BYPASS.format("a", "b") + "\n" + BYPASS.format("a", "b")), 7, "is listed twice"),
        (TWO_ZONES.format(BYPASS.format("a", "b")), 7, "zone 'w' contains zones; it cannot contain hosts and routers"),
        (TWO_ZONES.format(ZONE_BYPASS.format("y", "zz", "a", "b")), 7, "unknown zone 'zz'"),
        (TWO_ZONES.format(ZONE_BYPASS.format("y", "z", "a", "c")), 7, "unknown host or router 'c'"),
        (TWO_ZONES.format(ZONE_BYPASS.format("y", "z", "b", "a")), 7, "gateway 'b' is not in zone 'y'"),
        (TWO_ZONES.format(ZONE_BYPASS.format("y", "w", "a", "b")), 7, "zone 'w' is not within zone 'w'"),
        (TWO_ZONES.format(ZONE_BYPASS.format("y", "y", "a", "a")), 7, "one of the two zones contains the other"),
        (
            TWO_ZONES.format(2 * ("\n" + ZONE_BYPASS.format("y", "z", "a", "b"))),
            9,
            "bypassZoneRoute from 'y' to 'z' is listed twice",
        ),
        (
            f'<zone id="x" routing="Full">\n{TWO_ZONES.format("")}{ZONE_BYPASS.format("y", "z", "a", "b")}</zone>',
            9,
            "zone 'w' contains both, so no message would use a bypass of zone",
        ),
        # Coordinates
        (
            VIVALDI.format('coordinates="1 2"'),
            3,
            "coordinates '1 2' of host 'a' is not three numbers separated by spaces, such as '25.5 -9.4 1.4'",
        ),
        (VIVALDI.format('coordinates="1 2 nan"'), 3, "coordinates '1 2 nan' of host 'a': 'nan' is not a number"),
        (VIVALDI.format('coordinates="1 2 1e999"'), 3, "'1e999' is not a number"),
        (VIVALDI.format(""), 3, "'a' is in zone 'z' of routing Vivaldi, but has no coordinates"),
        (VIVALDI.format('coordinates="1 2 3"').replace("host", "router"), 3, "speed"),
        (
            WORLD.format(CLUSTER).replace("Full", "Vivaldi"),
            4,
            "zone 'c' is in zone 'w' of routing Vivaldi, which needs",
        ),
        (TWO_HOSTS.format(PEER), 6, "peer belongs in a zone of routing Vivaldi; 'z' has routing Full"),
        (PEER, 3, "peer is outside any zone"),
        (
            '<zone id="z" routing="Vivaldi">' + PEER.replace("/>", ' lat="1ms"/></zone>'),
            3,
            "lat of peer 'p' has no meaning in SimGrid; add it to the third of its coordinates",
        ),
        (
            TWO_HOSTS.format(LINK + ROUTE.format("backbone"))
            .replace("Full", "Vivaldi")
            .replace("1Gf", '1Gf" coordinates="1 2 3'),
            6,
            "only a route from a host to itself can be listed; the others follow from the coordinates",
        ),
        # Properties
        (
            TWO_HOSTS.format('<host id="c" speed="1Gf"><prop id="p" value="1"/>\n<prop id="p" value="2"/></host>'),
            7,
            "property 'p' is given twice",
        ),
        (
            '<config><prop id="a" value="1"/></config>\n<config><prop id="a" value="2"/></config>',
            4,
            "option 'a' is set twice",
        ),
        ('<prop id="a" value="1"/>', 3, "<prop> is not allowed in <platform>"),
        # Not there
        ('<zone id="z" routing="Full"></zone>', 2, "the platform has no hosts"),
        ('<zone id="z" routing="Wifi"></zone>', 3, "routing Wifi is not simulated"),
        (
            TWO_HOSTS.format('<link id="l" bandwidth="1Bps" sharing_policy="WIFI"/>'),
            6,
            "link 'l': WIFI links are not simulated; for stations that share one medium use a SHARED link",
        ),
        (
            TWO_HOSTS.format('<host id="c" speed="1Gf">\n<disk id="d" read_bw="1Bps" write_bw="1"/></host>'),
            7,
            "write_bw '1' of disk 'd' has no unit",
        ),
        (
            TWO_HOSTS.format('<storage id="s"/>'),
            6,
            "<storage> is not supported: SimGrid removed it in 3.27; add a <disk> to a host",
        ),
        ('<random id="r"/>', 3, "<random> is not supported: it has no meaning in SimGrid"),
        (CLUSTER + '\n<actor host="n0" function="f"/>', 4, "give the program and the number of ranks to pysmpirun"),
        (CLUSTER + '\n<process host="n0" function="f"/>', 4, "<actor> is not supported: it belongs to deployments"),
        (
            CLUSTER + '\n<config><prop id="network/model" value="CM02"/></config>',
            4,
            "<config> comes after a zone or cluster",
        ),
        # XML
        (CLUSTER + "\nhello", 4, "stray text 'hello'"),
        ('<zone id="z" routing="Full">\n</host>', 4, "not well-formed XML inside <zone> of line 3: mismatched tag"),
        ('<zone id="z" id="y" routing="Full">\n</zone>', 3, "duplicate attribute"),
    ],
)
def test_errors(zones: str, line: int, message: str, describe: Describe) -> None:
    with pytest.raises(PlatformError) as caught:
        describe(zones)
    text = str(caught.value)
    place, _, rest = text.partition(": ")
    assert place.endswith(f"machine.xml:{line}")
    assert message in rest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '<platform version="3"></platform>',
            ":1: version '3' of the platform format is not supported (valid: 4, 4.0, 4.1",
        ),
        ("<platform></platform>", ":1: version '0.0' of the platform format"),
        ('<zone id="z"/>', ":1: <zone> is not allowed in a platform file (valid: platform)"),
        ("", ":1: not well-formed XML: no element found"),
        (
            '<platform version="4.1">\n<zone id="z" routing="Full">\n',
            ":3: not well-formed XML inside <zone> of line 2: no element found",
        ),
        (
            '<platform version="4.1">\n<zone id="z" routi',
            ":2: not well-formed XML inside <platform> of line 1: unclosed token",
        ),
    ],
)
def test_errors_of_whole_files(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "cut.xml"
    file.write_text(text)
    with pytest.raises(PlatformError) as caught:
        read(file)
    assert f"cut.xml{message}" in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match=r"nowhere\.xml: cannot read the platform file: No such file or directory"):
        read(tmp_path / "nowhere.xml")


def test_old_spellings(describe: Describe) -> None:
    platform = describe(
        TWO_ZONES.replace("zone", "AS")
        .replace('"Full"', '"full"')
        .replace('bandwidth="1GBps"', 'bandwidth="1GBps" sharing_policy="FULLDUPLEX"')
        .format(
            ZONE_ROUTE.format("y", "z", "a", "b").replace("zoneRoute", "ASroute").replace('"backbone"', '"backbone_UP"')
        )
    )
    assert [link.name for link in platform.route("a", "b").links] == ["backbone_UP"]


def test_pstates_properties_and_options(describe: Describe) -> None:
    platform = describe(
        '<config><prop id="network/model" value="CM02"/></config>'
        '<zone id="w" routing="Full"><zone id="z" routing="Full">'
        '<host id="a" speed="3Gf,2Gf,1Gf" pstate="1" core="4"><prop id="watts" value="90"/></host>'
        '<host id="b" speed="1Gf"/></zone>'
        + CLUSTER.replace("1Gf", "5Gf,4Gf").replace("/>", '><prop id="rack" value="7"/></cluster>')
        + "</zone>"
    )
    assert dict(platform.config) == {"network/model": "CM02"}
    host = platform.host("a")
    assert (host.speed, host.speeds, host.cores, dict(host.properties)) == (2e9, (3e9, 2e9, 1e9), 4, {"watts": "90"})
    assert (platform.host("b").speeds, dict(platform.host("b").properties)) == ((1e9,), {})
    for name in ("n0", "n3"):
        assert (platform.host(name).speeds, dict(platform.host(name).properties)) == ((5e9, 4e9), {"rack": "7"})


def test_cabinets_and_host_links(describe: Describe) -> None:
    platform = describe(
        '<zone id="z" routing="Cluster"><host id="a" speed="1Gf"/><link id="l" bandwidth="1GBps" latency="1us"/>'
        '<backbone id="bb" bandwidth="1GBps" latency="2us"/><host_link id="a" up="l" down="l"/>'
        '<cabinet id="c" prefix="n" suffix="" radical="1,3" speed="2Gf" bw="1GBps" lat="4us"/></zone>'
    )
    assert [host.name for host in platform.hosts] == ["a", "n1", "n3"]
    assert [link.name for link in platform.route("a", "n3").links] == ["l", "bb", "link_n3_DOWN"]
    assert [link.name for link in platform.route("n1", "a").links] == ["link_n1_UP", "bb", "l"]
    assert [link.name for link in platform.route("a", "a").links] == ["l", "bb"]


def test_properties_are_kept(describe: Describe) -> None:
    prop = '<prop id="{}" value="{}"/>'
    platform = describe(
        f'<zone id="w" routing="Full">{prop.format("city", "Oulu")}'
        f'<zone id="y" routing="None">{prop.format("floor", "2")}<host id="a" speed="1Gf"/>'
        f'<link id="s" bandwidth="1GBps" sharing_policy="SPLITDUPLEX">{prop.format("fibre", "dark")}</link></zone>'
        + CLUSTER.replace("/>", f">{prop.format('rack', '7')}</cluster>")
        + "</zone>"
    )
    assert [(zone.name, zone.routing, dict(zone.properties)) for zone in platform.zones] == [
        ("w", "Full", {"city": "Oulu"}),
        ("y", "None", {"floor": "2"}),
        ("c", "FLAT", {"rack": "7"}),
    ]
    assert [dict(link.properties) for link in platform.links[:3]] == [{"fibre": "dark"}, {"fibre": "dark"}, {}]


def test_peers(describe: Describe) -> None:
    platform = describe(
        '<zone id="z" routing="Vivaldi"><peer id="a" speed="2Gf" bw_in="1MBps" bw_out="2MBps" coordinates="0 3 1"/>'
        '<peer id="b" speed="1Gf" bw_in="3MBps" bw_out="4MBps" coordinates="4 0 -2" lat="0"/></zone>'
    )
    route = platform.route("a", "b")
    assert [(link.name, link.bandwidth) for link in route.links] == [("link_a_UP", 2e6), ("link_b_DOWN", 3e6)]
    assert route.latency == 0.008
    assert platform.route("b", "b").latency == 0.004
    assert platform.host("a").speed == 2e9


def test_bypass_is_one_way(describe: Describe) -> None:
    platform = describe(
        TWO_HOSTS.format(LINK + ROUTE.format("backbone") + LINK.replace("backbone", "m")).replace(
            "</zone>", BYPASS.format("b", "a").replace("backbone", "m") + "</zone>"
        )
    )
    assert [link.name for link in platform.route("a", "b").links] == ["backbone"]
    assert [link.name for link in platform.route("b", "a").links] == ["m"]


def test_pstates_in_which_a_host_stands_still(describe: Describe) -> None:
    host = '<zone id="z" routing="Full"><host id="a" speed="1Gf,0f" pstate="{}"/></zone>'
    assert describe(host.format(0)).host("a").speeds == (1e9, 0.0)
    with pytest.raises(PlatformError, match="host 'a' begins in pstate 1, whose speed is 0"):
        describe(host.format(1))
    with pytest.raises(PlatformError, match="speed '0f' of host 'a' must be above 0"):
        describe(host.format(0).replace("1Gf,0f", "0f"))
    with pytest.raises(PlatformError, match="cluster 'c': hosts begin in pstate 0, whose speed is 0"):
        describe(CLUSTER.replace("1Gf", "0f,1Gf"))


def test_speeds_of_old_files_have_no_unit(describe: Describe) -> None:
    """The unit is flop/s. A warning says so once a file."""
    hosts = '<zone id="z" routing="Full">\n<host id="a" speed="1e9"/>\n<host id="b" speed="2, 0.5"/></zone>'
    with pytest.warns(PlatformWarning) as given:
        platform = describe(hosts)
    assert [platform.host(name).speeds for name in "ab"] == [(1e9,), (2.0, 0.5)]
    (warning,) = given
    text = str(warning.message)
    assert "xml:4: speed '1e9' of host 'a' has no unit and is taken in flop/s" in text
    assert text.endswith("write '1e9f'")


def test_a_speed_without_unit_beside_one_with(describe: Describe) -> None:
    with pytest.raises(PlatformError, match="speed '2' of cluster 'c' has no unit"):
        describe(CLUSTER.replace("1Gf", "1Gf,2"))
