"""Platforms described in Python: the same machines as their XML, and errors that name the parameter."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.platform import (
    Cluster,
    Description,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    FullMesh,
    Host,
    Hypercube,
    HyperX,
    Link,
    Platform,
    PlatformError,
    Route,
    Router,
    SlimFly,
    Torus,
    Zone,
    ZoneRoute,
    read,
)

Describe = Callable[[str], Platform]

SAME: list[tuple[Description, str]] = [
    (
        Cluster(6, name="c", prefix="n", speed="2Gf", bandwidth="1GBps", latency="3us", loopback_bandwidth=None),
        '<cluster id="c" prefix="n" suffix="" radical="0-5" speed="2Gf" bw="1GBps" lat="3us"/>',
    ),
    (
        Cluster(
            4,
            name="c",
            prefix="n",
            suffix=".x",
            radical="3-5,9",
            speed=["2Gf", 1e9],
            cores=4,
            bandwidth="10Gbps",
            latency=0.1,
            split_duplex=False,
            loopback_bandwidth="5GBps",
            loopback_latency="7ns",
            limiter="2GBps",
            backbone_bandwidth=3e9,
            backbone_latency="2us",
            backbone_policy="FATPIPE",
            router="out",
            properties={"watt": "3"},
        ),
        '<cluster id="c" prefix="n" suffix=".x" radical="3-5,9" speed="2Gf,1Gf" core="4" bw="10Gbps" lat="100ms" '
        'sharing_policy="SHARED" loopback_bw="5GBps" loopback_lat="7ns" limiter_link="2GBps" bb_bw="3GBps" '
        'bb_lat="2us" bb_sharing_policy="FATPIPE" router_id="out"><prop id="watt" value="3"/></cluster>',
    ),
    (
        FatTree([3, 4], [1, 2], [1, 2], name="c", prefix="n", loopback_bandwidth="1GBps", loopback_latency="1us"),
        '<cluster id="c" prefix="n" suffix="" radical="0-11" speed="30Gf" bw="12.5GBps" lat="150ns" '
        'loopback_bw="1GBps" loopback_lat="1us" topology="FAT_TREE" topo_parameters="2;3,4;1,2;1,2"/>',
    ),
    (
        Torus((3, 2, 2), name="c", prefix="n", loopback_bandwidth=0, limiter="1GBps"),
        '<cluster id="c" prefix="n" suffix="" radical="0-11" speed="30Gf" bw="12.5GBps" lat="150ns" '
        'limiter_link="1GBps" topology="TORUS" topo_parameters="3,2,2"/>',
    ),
    (
        Dragonfly(2, 2, 3, 2, blue_cables=4, black_cables=3, name="c", prefix="n", loopback_bandwidth=None),
        '<cluster id="c" prefix="n" suffix="" radical="0-23" speed="30Gf" bw="12.5GBps" lat="150ns" '
        'topology="DRAGONFLY" topo_parameters="2,4;2,3;3,1;2"/>',
    ),
]


def program() -> float:
    import numpy as np
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    for size in (8, 3000, 200_000):
        data = np.zeros(size)
        world.Sendrecv(data, (world.rank + 3) % world.size, recvbuf=np.zeros(size))
        world.Allreduce(np.zeros(size), data)
    return MPI.Wtime()


def times(platform: Platform | Description, **settings: object) -> list[float]:
    cfg = {"smpi/simulate-computation": "no", **settings.pop("cfg", {})}  # type: ignore[dict-item]
    return pysmpi.simulate(program, np=4, platform=platform, cfg=cfg, **settings).values  # type: ignore[arg-type]


def assert_same(first: Platform, second: Platform) -> None:
    assert list(first.hosts) == list(second.hosts)
    assert list(first.links) == list(second.links)
    for source in first.hosts:
        for destination in first.hosts:
            ends = (source.name, destination.name)
            try:
                expected = first.route(*ends)
            except PlatformError:
                with pytest.raises(PlatformError):
                    second.route(*ends)
            else:
                assert second.route(*ends) == expected


@pytest.mark.parametrize(("description", "xml"), SAME, ids=lambda each: type(each).__name__)
def test_the_same_as_in_xml(description: Description, xml: str, describe: Describe) -> None:
    assert_same(description.build(), describe(xml))
    assert times(description) == times(describe(xml))


@pytest.mark.parametrize(("description", "_"), SAME, ids=lambda each: type(each).__name__)
def test_xml_that_is_written_describes_the_same(description: Description, _: str, tmp_path: Path) -> None:
    description.write(tmp_path / "machine.xml")
    assert_same(description.build(), read(tmp_path / "machine.xml"))


numbers = st.floats(1e-3, 1e15)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers, numbers, st.floats(0, 10), st.lists(numbers, min_size=1, max_size=3), st.text("<&\"'é \n", max_size=5))
def test_any_number_survives_xml(
    tmp_path: Path, bandwidth: float, limiter: float, latency: float, speeds: list[float], text: str
) -> None:
    cluster = Torus(
        [2], bandwidth=bandwidth, latency=latency, speed=speeds, limiter=limiter, properties={"p": text.strip()}
    )
    cluster.write(tmp_path / "machine.xml")
    assert_same(cluster.build(), read(tmp_path / "machine.xml"))


def grid() -> Zone:
    old, new = Cluster(3, name="old", backbone_bandwidth="1GBps"), Torus([2, 2], name="new")
    a, b = Host("a", "1Gf", 2, properties={"k": "v"}), Host("b", ["2Gf", "1Gf"], pstate=1)
    wire, line = Link("wire", "1GBps", "1us"), Link("line", 1e9, 1e-3, "SPLITDUPLEX", properties={"p": "q"})
    gate = Router("gate")
    pair = Zone("pair", [a, b, gate, wire, Route(a, b, [wire]), Route(a, gate, ["wire"]), Route("b", gate, [wire])])
    return Zone(
        "grid",
        [
            ZoneRoute(old, new, [line.up], destination_gateway="new-0"),
            ZoneRoute(old, "pair", [line.up, "fat"], destination_gateway=gate),
            ZoneRoute("new", pair, ["fat"], source_gateway="new-3", destination_gateway="gate", symmetrical=False),
            ZoneRoute(pair, new, [line.down], source_gateway="gate", destination_gateway="new-3", symmetrical=False),
            old,
            new,
            pair,
            line,
            Link("fat", "1GBps", "1us", "FATPIPE"),
        ],
        properties={"owner": "us"},
    )


GRID = """<zone id="grid" routing="Full"><prop id="owner" value="us"/>
<cluster id="old" prefix="old-" suffix="" radical="0-2" speed="30Gf" bw="12.5GBps" lat="150ns" bb_bw="1GBps"
 loopback_bw="10GBps" loopback_lat="200ns"/>
<cluster id="new" prefix="new-" suffix="" radical="0-3" speed="30Gf" bw="12.5GBps" lat="150ns" topology="TORUS"
 topo_parameters="2,2" loopback_bw="10GBps" loopback_lat="200ns"/>
<zone id="pair" routing="Full">
<host id="a" speed="1Gf" core="2"><prop id="k" value="v"/></host><host id="b" speed="2Gf,1Gf" pstate="1"/>
<router id="gate"/><link id="wire" bandwidth="1GBps" latency="1us"/>
<route src="a" dst="b"><link_ctn id="wire"/></route><route src="a" dst="gate"><link_ctn id="wire"/></route>
<route src="b" dst="gate"><link_ctn id="wire"/></route></zone>
<link id="line" bandwidth="1GBps" latency="1ms" sharing_policy="SPLITDUPLEX"><prop id="p" value="q"/></link>
<link id="fat" bandwidth="1GBps" latency="1us" sharing_policy="FATPIPE"/>
<zoneRoute src="old" dst="new" gw_src="old-old_router" gw_dst="new-0"><link_ctn id="line" direction="UP"/></zoneRoute>
<zoneRoute src="old" dst="pair" gw_src="old-old_router" gw_dst="gate"><link_ctn id="line" direction="UP"/>
<link_ctn id="fat"/></zoneRoute>
<zoneRoute src="new" dst="pair" gw_src="new-3" gw_dst="gate" symmetrical="NO"><link_ctn id="fat"/></zoneRoute>
<zoneRoute src="pair" dst="new" gw_src="gate" gw_dst="new-3" symmetrical="NO"><link_ctn id="line" direction="DOWN"/>
</zoneRoute></zone>"""


def test_zones_are_the_same_as_in_xml(describe: Describe, tmp_path: Path) -> None:
    zone = grid()
    expected = describe(GRID)
    assert_same(zone.build(), expected)
    zone.write(tmp_path / "grid.xml")
    assert_same(read(tmp_path / "grid.xml"), expected)
    assert times(zone) == times(expected)


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "machine.xml"
    Torus([4]).write(path)
    before = path.read_text()
    with pytest.raises(PlatformError, match=r"SimGrid's XML has no SLIM_FLY clusters \(it has DRAGONFLY, FAT_TREE"):
        Zone("z", [SlimFly(5)]).write(path)
    assert path.read_text() == before
    Torus([5]).write(path)
    assert len(read(path).hosts) == 5
    assert os.listdir(tmp_path) == ["machine.xml"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FatTree([4, 4], [1]), "parents of FatTree 'cluster' has 1 numbers, but children has 2"),
        (
            lambda: FatTree([4, 0], [1, 1]),
            r"children of FatTree 'cluster'\[1\] is 0; give a whole number from 1",
        ),
        (lambda: FatTree(16, 1), r"children of FatTree 'cluster' is 16; give a sequence"),  # type: ignore[arg-type]
        (lambda: Torus("44"), "sizes of Torus 'cluster' is '44'; give a sequence"),  # type: ignore[arg-type]
        (lambda: Torus([]), "sizes of Torus 'cluster' is"),
        (lambda: Torus([4], name="t", speed="10"), "speed '10' of Torus 't' has no unit"),
        (lambda: Torus([4], speed="10Gg"), "unknown unit 'Gg'; did you mean 'G.'"),
        (lambda: Torus([4], speed=[]), "speed of Torus 'cluster' is empty"),
        (lambda: Torus([4], speed=None), "speed of Torus 'cluster' is None; give text with a unit"),  # type: ignore[arg-type]
        (lambda: Torus([4], bandwidth=0), "bandwidth of Torus 'cluster' is 0; it must be finite and above 0"),
        (lambda: Torus([4], bandwidth=float("inf")), "it must be finite and above 0"),
        (lambda: Torus([4], latency=-1), "latency of Torus 'cluster' is -1; it must be finite and 0 or more"),
        (lambda: Torus([4], cores=0), "cores of Torus 'cluster' is 0; give a whole number from 1"),
        (lambda: Torus([4], cores=True), "cores of Torus 'cluster' is True"),
        (lambda: Torus([4], radical="0-4"), "radical of Torus 'cluster': '0-4' names 5 hosts, but there are 4"),
        (lambda: Torus([4], hosts=2).element(), "SimGrid's XML has no tori of switches"),
        (lambda: Torus([4], hosts=0), "hosts of Torus 'cluster'"),
        (lambda: Torus([4], routing="valliant"), "unknown routing of a TORUS 'valliant'; did you mean 'valiant'"),
        (lambda: FatTree([4], [1], routing="ugal"), r"routing of a FAT_TREE 'ugal' \(valid: d-mod-k, random, turns\)"),
        (lambda: Cluster(4, routing="minimal"), "a FLAT cluster has only one route between two hosts"),
        (lambda: Cluster(4, backbone_latency="1us"), "backbone_latency .* is given without a backbone_bandwidth"),
        (lambda: Cluster(4, backbone_policy="FAT"), "'FAT'; did you mean 'FATPIPE'"),
        (lambda: SlimFly(6), r"but it is 6 \(nearest: 5 and 7\)"),
        (lambda: SlimFly(6, 2), r"but it is 6 \(nearest: 5 and 7\)"),
        (lambda: HyperX([4], 2, [1, 1]), "cables of HyperX 'cluster' has 2 numbers, but sizes has 1"),
        (lambda: Dragonfly(9, 2, 2, 1, global_cables=1), "do not reach all 9 groups: none leads 4 groups further"),
        (
            lambda: Dragonfly(3, 2, 3, 1, global_cables=1).element(),
            "SimGrid's XML has no dragonflies with global_cables",
        ),
        (lambda: Dragonfly(5, 1, 4, 1), "5 groups need 5 blades"),
        (lambda: DragonflyPlus(3, 0, 2, 2), "spines of DragonflyPlus 'cluster' is 0"),
        (lambda: Hypercube(31), "dimensions, from 1 to 30"),
        (lambda: FullMesh(0), "hosts of FullMesh 'cluster' is 0"),
        (lambda: Host("h", speed=-1), "speed of Host 'h' is -1; it must be finite and above 0"),
        (lambda: Link("l", policy="SHRED"), "unknown policy of Link 'l' 'SHRED'; did you mean 'SHARED'"),
        (lambda: Zone("z", [], routing="Ful"), "unknown routing of Zone 'z' 'Ful'; did you mean 'Full'"),
        (lambda: Zone("z", [], routing="Cluster"), "hosts around a switch are a pysmpi.platform.Cluster"),
        (lambda: Zone("z", ["h"]), "Zone 'z' has a member 'h'; members are hosts"),  # type: ignore[list-item]
    ],
)
def test_errors_at_construction(make: Callable[[], object], message: str) -> None:
    with pytest.raises(PlatformError, match=message):
        make()


@pytest.mark.parametrize(
    ("zone", "message"),
    [
        (Zone("z", [Host("a"), Host("a")]), "host or router 'a' is described twice"),
        (Zone("z", [Host("a"), Host("b"), Route("a", "c", ["l"])]), "unknown host or router 'c'"),
        (Zone("z", [Host("a"), Host("b"), Route("a", "b", ["l"])]), "unknown link 'l'"),
        (Zone("z", [Host("a"), Host("b"), Route("a", "b", "l")]), r"write \['l'\]"),
        (
            Zone("z", [Torus([2], name="t"), Torus([2], name="u"), Link("l"), ZoneRoute("t", "u", ["l"])]),
            "source_gateway is missing: name a host or router of 't'",
        ),
        (Zone("z", [Torus([2], name="t"), ZoneRoute("t", "v", ["l"], source_gateway="t-0")]), "unknown zone .*'v'"),
        (Zone("z", []), "the platform has no hosts"),
        (FullMesh(70_000), "the limits are 2147483647 and 4294967294"),
    ],
)
def test_errors_when_built(zone: Description, message: str) -> None:
    with pytest.raises(PlatformError, match=message):
        zone.build()
