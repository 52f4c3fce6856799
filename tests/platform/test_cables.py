"""Cables of clusters: one word, class and platform file give the same machine, whichever way names its fabric."""

import pathlib
import random
import warnings
from collections.abc import Sequence
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import PlatformError, PlatformWarning
from pysmpi.platform import Cluster, FatTree, FullMesh, HyperX, Link, Platform, Torus, Zone, ZoneRoute, read
from pysmpi.platform.description import Description
from pysmpi.platform.fabrics import FABRICS

SHAPES: list[tuple[str, Any, dict[str, Any]]] = [
    ("flat:4", Cluster, {"hosts": 4}),
    ("fattree:2/2,2/1,2/1,1", FatTree, {"children": [2, 2], "parents": [1, 2], "cables": [1, 1]}),
    ("torus:2,3", Torus, {"sizes": [2, 3]}),
    ("fullmesh:4", FullMesh, {"hosts": 4}),
    ("hyperx:2,2/1,1/2", HyperX, {"sizes": [2, 2], "hosts": 2}),
]
EXPLICIT: dict[str, tuple[str, Sequence[Any]]] = {
    "bandwidth": ("bw", ["3GBps", "400Mbps"]),
    "latency": ("lat", ["1us", "0s"]),
    "speed": ("speed", ["12Gf", "3Gf,1Gf"]),
    "cores": ("core", [2, 5]),
    "loopback_bandwidth": ("loopback_bw", ["7GBps", "0"]),
    "limiter": ("limiter_link", ["20GBps"]),
}
PROPERTIES = {
    "card_bandwidth": ["20GBps", "1:20GBps;4:12GBps"],
    "card_gap": ["100ns"],
    "intra_core": ["0:400ns:8GBps;8192:600ns:5GBps"],
    "wattage_per_state": ["90:105:180"],
}


def links(platform: Platform) -> list[tuple[str, float, float, str]]:
    return [(link.name, link.bandwidth, link.latency, link.policy) for link in platform.links]


def machine(shape: str, given: dict[str, Any], properties: dict[str, str], fabric: str | None) -> str:
    words = [shape, *(f"{name}={value}" for name, value in given.items())]
    words += [f"{name}={value.replace(';', '/')}" for name, value in properties.items()]
    return ":".join(words if fabric is None else [*words, f"fabric={fabric}"])


def times() -> list[float]:
    """Return the seconds of a small message, a large message and a message inside a host."""
    import numpy as np
    from mpi4py import MPI

    world, found = MPI.COMM_WORLD, []
    for size, to in ((8, world.size - 1), (1 << 22, world.size - 1), (1 << 16, 1)):
        data = np.zeros(size, np.uint8)
        world.Barrier()
        start = MPI.Wtime()
        if world.rank == 0:
            world.Send(data, to)
        elif world.rank == to:
            world.Recv(data, 0)
        world.Barrier()
        found.append(MPI.Wtime() - start)
    return found


def simulated(platform: str | pathlib.Path | Description | Platform, **words: Any) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = pysmpi.simulate(
            times, np=4, platform=platform, smpi=False, cfg={"smpi/simulate-computation": "no"}, **words
        )
    return list(run.values[0])


@pytest.mark.parametrize("seed", range(12))
def test_three_forms_are_one_machine(seed: int, tmp_path: pathlib.Path) -> None:
    """Random shapes, fabrics and explicit parameters: the tables of links, the hosts and the times are equal."""
    draw = random.Random(seed)
    shape, kind, parameters = SHAPES[seed % len(SHAPES)]
    fabric = draw.choice([None, *FABRICS])
    names = draw.sample(sorted(EXPLICIT), draw.randrange(len(EXPLICIT)))
    given = {name: draw.choice(EXPLICIT[name][1]) for name in names}
    if given.get("loopback_bandwidth") != "0" and draw.random() < 0.3:
        given["loopback_latency"] = "50ns"
    properties = {name: draw.choice(values) for name, values in PROPERTIES.items() if draw.random() < 0.5}
    if "wattage_per_state" in properties and "," in str(given.get("speed")):
        properties["wattage_per_state"] += ",80:90:120"
    word = machine(shape, given, properties, fabric)
    described = kind(**parameters, **given, properties=properties, fabric=fabric)
    forms: list[Platform] = [read(word), described.build()]
    machines: list[Any] = [word, described]
    if described.in_simgrid:
        file = tmp_path / "machine.xml"
        described.write(file)
        forms.append(read(file))
        machines.append(file)
    expected = links(forms[0])
    for form in forms[1:]:
        assert links(form) == expected
        assert [(host.speeds, host.cores, dict(host.properties)) for host in form.hosts] == [
            (host.speeds, host.cores, dict(host.properties)) for host in forms[0].hosts
        ]
    results = [simulated(each) for each in machines]
    assert all(result == results[0] for result in results[1:]), (word, results)


@pytest.mark.parametrize("fabric", ["infiniband-hdr", "ndr", "ethernet-1g", "ethernet-100g", "shared-memory", "smpi"])
def test_every_way_to_name_a_fabric_gives_the_same_times(fabric: str) -> None:
    tree = FatTree([2, 2], [1, 2], cores=2)
    expected = simulated(f"fattree:2/2,2/1,2/1,1:cores=2:fabric={fabric}")
    assert simulated("fattree:2/2,2/1,2/1,1:cores=2", fabric=fabric) == expected
    assert simulated(tree, fabric=fabric) == expected
    assert simulated(FatTree([2, 2], [1, 2], cores=2, fabric=fabric)) == expected
    assert simulated(FatTree([2, 2], [1, 2], cores=2, properties={"fabric": fabric})) == expected
    built = tree.build()
    before = simulated(built)
    assert simulated(built, fabric=fabric) == expected
    assert simulated(built, what_if=f"fabric:{fabric}") == expected
    assert simulated(built) == before  # the fabric of a run does not stay


def test_the_class_has_the_cables_of_its_fabric() -> None:
    """The reproduction: an HDR tree kept the 12.5 GB/s and 150 ns of the class."""
    for name, fabric in FABRICS.items():
        (_, cluster), *_ = FatTree([4, 4], [1, 2], fabric=name).build().clusters
        assert cluster.bandwidth == (fabric.bandwidth or 12.5e9)
        assert cluster.latency == (fabric.latency or pytest.approx(1.5e-7))
        contained = "fabric/loopback-latency" in fabric.settings
        assert cluster.loopback == (1e10, 0.0 if contained else pytest.approx(2e-7))


def test_given_values_win_over_those_of_any_fabric() -> None:
    (_, cluster), *_ = FatTree([4, 4], [1, 2], bandwidth="1GBps", latency="2us", fabric="hdr").build().clusters
    assert (cluster.bandwidth, cluster.latency) == (1e9, 2e-6)
    built = Torus([4, 4], bandwidth="1GBps", loopback_latency="1us").build()
    built.choose_cables(FABRICS["infiniband-ndr"])
    (_, cluster), *_ = built.clusters
    assert (cluster.bandwidth, cluster.latency, cluster.loopback) == (1e9, 7e-8, (1e10, 1e-6))


def test_a_fabric_without_cables_leaves_those_of_the_machine() -> None:
    built = FatTree([4, 4], [1, 2], fabric="hdr").build()
    built.choose_cables(FABRICS["neutral"])
    (_, cluster), *_ = built.clusters
    assert (cluster.bandwidth, cluster.latency, cluster.loopback) == (25e9, 7e-8, (1e10, 0.0))


def test_what_contradicts_is_refused() -> None:
    with pytest.raises(PlatformError, match="fabric of Torus 'cluster' is 'infiniband-hdr', but properties has 'fabri"):
        Torus([2, 2], fabric="hdr", properties={"fabric": "ndr"})
    assert Torus([2, 2], fabric="hdr", properties={"fabric": "infiniband-hdr"}).properties
    with pytest.raises(PlatformError, match="loopback_latency of Torus 'cluster' is given without a loopback_bandwid"):
        Torus([2, 2], loopback_bandwidth=None, loopback_latency="1us")
    with pytest.raises(PlatformError, match="property fabric of Torus 'cluster': unknown fabric 'hdrr'"):
        Torus([2, 2], properties={"fabric": "hdrr"})


def test_a_fabric_without_effect_is_reported(tmp_path: pathlib.Path) -> None:
    def half(name: str, fabric: str | None) -> Cluster:
        return Cluster(2, name=name, fabric=fabric)

    between = Link("between", "1GBps")
    joined = Zone("all", [half("a", "hdr"), half("b", "opa"), between, ZoneRoute("a", "b", [between])])
    with pytest.warns(PlatformWarning, match="fabric 'omni-path' of host 'b-0' has no effect.*'a-0' .infiniband-hdr"):
        pysmpi.simulate(times, np=4, platform=joined, cfg={"smpi/simulate-computation": "no"})
    text = Zone("all", [half("a", None)], properties={"fabric": "hdr"}).to_xml()
    (tmp_path / "zone.xml").write_text(text)
    with pytest.warns(PlatformWarning, match="fabric 'hdr' of zone 'all' has no effect.*set it in <config>"):
        pysmpi.simulate(times, np=2, platform=tmp_path / "zone.xml", cfg={"smpi/simulate-computation": "no"})


def test_properties_in_one_word_may_have_colons_and_tables() -> None:
    host = read("flat:2:wattage_per_state=90:105:180:card_bandwidth=1:20GBps/4:12GBps:cores=4").hosts[0]
    assert host.properties == {"wattage_per_state": "90:105:180", "card_bandwidth": "1:20GBps;4:12GBps"}
    assert host.cores == 4
    with pytest.raises(PlatformError, match="wattage_per_state is set twice"):
        read("flat:2:wattage_per_state=90:105:wattage_per_state=1:2")
    with pytest.raises(PlatformError, match="unknown setting 'wattage'; did you mean"):
        read("flat:2:wattage=90")


def test_energy_of_a_cluster_in_one_word() -> None:
    def idle() -> None:
        pysmpi.sleep(2.0)

    run = pysmpi.simulate(idle, np=2, platform="flat:2:wattage_per_state=90:180", cfg={"plugin": "host_energy"})
    assert run.energy is not None
    assert run.energy.total == pytest.approx(2 * 2 * 90.0, rel=1e-4)


def test_grown_machines_keep_the_fabric() -> None:
    bandwidths = []
    for words in ({"fabric": "hdr"}, {}):
        run = pysmpi.simulate(
            times, np=4, platform="flat:4" if words else "flat:4:fabric=hdr", what_if="nodes*2", **words,
            smpi=False, cfg={"smpi/simulate-computation": "no"},
        )  # fmt: skip
        bandwidths.append(run.values[0])
    assert bandwidths[0] == bandwidths[1]
