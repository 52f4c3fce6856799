"""Clusters in one word."""

import os
from pathlib import Path

import pytest

from pysmpi.platform import (
    Cluster,
    Description,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    FullMesh,
    Hypercube,
    HyperX,
    PlatformError,
    SlimFly,
    Torus,
    current,
    load,
    read,
)
from pysmpi.platform.cluster_spec import EXAMPLES, from_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flat:64", Cluster(64)),
        ("flat:8:bb_bw=1GBps:bb_lat=1us", Cluster(8, backbone_bandwidth="1GBps", backbone_latency="1us")),
        ("fattree:3;16,16,16;1,1,16;1,1,1", FatTree((16, 16, 16), (1, 1, 16), (1, 1, 1))),
        ("fattree:2/4,4/1,2/1,2", FatTree((4, 4), (1, 2), (1, 2))),
        ("torus:4,4,4", Torus((4, 4, 4))),
        ("dragonfly:3,4;3,2;3,1;2", Dragonfly(3, 3, 3, 2, blue_cables=4, black_cables=2)),
        ("dragonfly+:9,2/4/3/5", DragonflyPlus(9, 4, 3, 5, 2)),
        ("hyperx:4,3/1,2/5", HyperX([4, 3], 5, [1, 2])),
        ("slimfly:5", SlimFly(5)),
        ("slimfly:5;2", SlimFly(5, 2)),
        ("dragonfly:9,1/3,2/3,1/2/4", Dragonfly(9, 3, 3, 2, black_cables=2, global_cables=4)),
        ("torus:5,4/3", Torus((5, 4), hosts=3)),
        ("hypercube:10", Hypercube(10)),
        ("fullmesh:16", FullMesh(16)),
        (
            "Torus:4:speed=10Gf,5Gf:bw=12.5GBps:lat=1us:cores=4:limiter=1GBps:routing=ugal:split_duplex=no:prefix=n",
            Torus(
                (4,),
                speed="10Gf,5Gf",
                bandwidth="12.5GBps",
                latency="1us",
                cores=4,
                limiter="1GBps",
                routing="ugal",
                split_duplex=False,
                prefix="n",
            ),
        ),
    ],
)
def test_texts_mean_descriptions(text: str, expected: Description) -> None:
    assert from_text(text).description() == expected.description()  # type: ignore[attr-defined]
    assert read(text).source == text


@pytest.mark.parametrize("setting", ["membw", "memory_bandwidth"])
def test_cores_share_the_memory_bandwidth_of_a_host(setting: str) -> None:
    properties = read(f"flat:2:cores=4:{setting}=200GBps").hosts[1].properties
    assert {name: float(value) for name, value in properties.items()} == {
        "memory-bandwidth": 50e9,
        "host-memory-bandwidth": 200e9,
    }
    assert not read("flat:2:cores=4").hosts[1].properties


def test_memory_bandwidth_is_in_the_platform_file(tmp_path: Path) -> None:
    cluster = Torus([3], cores=2, memory_bandwidth="30GBps")
    cluster.write(tmp_path / "torus.xml")
    written = read(tmp_path / "torus.xml").hosts[0].properties
    assert dict(written) == dict(cluster.description().properties)
    assert written["memory-bandwidth"] == "15000000000.0"


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_need_no_quotes(text: str) -> None:
    assert read(text).hosts
    assert not set(text) & set("\"'\\;&|<>()$`*?[]{}~#! \t")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fatree:2;4,4;1,2;1,2", "unknown topology 'fatree'; did you mean 'fattree'"),
        ("fatree:2;4,4;1,2;1,2", "No file has that name either"),
        ("torus:", "the parameters are missing; write for example 'torus:4,4,4'"),
        ("torus:4,x", "'torus:4,x': 'x' is not a number from 1"),
        ("fattree:2/4,4/1,2", "takes 4 parts, 'levels;children,…;parents,…;cables,…', such as '2;8,8;1,4;1,1'"),
        ("flat:many", "host count 'many' is not a whole number from 1"),
        ("torus:4:spede=1Gf", "unknown setting 'spede'; did you mean 'speed'"),
        ("torus:4:bb_bw=1GBps", "unknown setting 'bb_bw'"),
        ("torus:4:speed", "'speed' is not of the form NAME=VALUE"),
        ("torus:4:bw=1GBps:bandwidth=2GBps", "bandwidth is set twice"),
        ("torus:4:bw=10", "bandwidth '10' of Torus 'cluster' has no unit"),
        ("torus:4:membw=10", "memory_bandwidth '10' of Torus 'cluster' has no unit"),
        ("torus:4:cores=two", "cores 'two' is not a whole number"),
        ("torus:4:split_duplex=2", r"split_duplex is '2' \(valid: yes, no\)"),
        ("torus:4:routing=random", r"unknown routing of a TORUS 'random' \(valid: minimal, valiant, ugal, ugal-l\)"),
        (
            "dragonfly:3,1/2,1/3,1/2:routing=ugal-sst7",
            "unknown routing of a DRAGONFLY 'ugal-sst7'; did you mean 'ugal-l'",
        ),
        ("no/such:file.xml", "cannot read the platform file"),
        ("nothing.xml", "cannot read the platform file"),
    ],
)
def test_errors_name_what_is_valid(text: str, message: str) -> None:
    with pytest.raises(PlatformError, match=message):
        read(text)


def test_a_file_of_that_name_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Torus([3]).write("torus:4")
    assert len(read("torus:4").hosts) == 3
    os.rename("torus:4", "elsewhere")
    assert len(read("torus:4").hosts) == 4
    with pytest.raises(PlatformError, match="cannot read"):
        read(Path("torus:4"))


def test_load_installs_it() -> None:
    assert load("hypercube:3") is current()
