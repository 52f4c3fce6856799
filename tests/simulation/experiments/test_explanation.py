"""pysmpi.explain: its total is what a simulated message takes, to the bit or 1e-12, under every network model."""

import json
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.errors import ConfigurationError, LaunchError, PlatformError, SimulationError
from pysmpi.platform import Platform, read
from pysmpi.simulation.settings.network_models import MODELS

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">'
THIN, PIPE = '<link_ctn id="thin"/>', '<link_ctn id="pipe"/>'
PLATFORMS = {
    "flat": '<cluster id="c" prefix="h" suffix="" radical="0-7" speed="1Gf" bw="10Gbps" lat="5us" bb_bw="5Gbps" '
    'bb_lat="1us" loopback_bw="5GBps" loopback_lat="200ns"/>',
    "half duplex": '<cluster id="c" prefix="h" suffix="" radical="0-7" speed="1Gf" bw="10Gbps" lat="5us" '
    'sharing_policy="SHARED"/>',
    "tree": '<cluster id="c" prefix="h" suffix="" radical="0-7" speed="1Gf" bw="12.5GBps" lat="150ns" '
    'loopback_bw="10GBps" loopback_lat="200ns" topology="FAT_TREE" topo_parameters="2;4,2;1,2;1,1"/>',
    "far": '<zone id="z" routing="Full">'
    + "".join(f'<host id="h{i}" speed="1Gf"/>' for i in range(8))
    + '<link id="thin" bandwidth="100kBps" latency="0"/><link id="long" bandwidth="100GBps" latency="40ms"/>'
    + '<link id="pipe" bandwidth="30MBps" latency="1us" sharing_policy="FATPIPE"/>'
    + "".join(
        f'<route src="h{i}" dst="h{j}"><link_ctn id="long"/>{THIN * (j % 2)}{PIPE * (i % 2)}</route>'
        for i in range(8)
        for j in range(i + 1, 8)
    )
    + "</zone>",
}
OVERHEADS = {"smpi/os": "0:1e-6:1e-9;5000:2e-6:0", "smpi/ois": "0:3e-6:0", "smpi/or": "0:5e-7:2e-10;1000:0:1e-9"}
SETTINGS: list[Mapping[str, Any]] = [
    *({"network/model": model} for model in MODELS),
    {"network/model": "SMPI"} | OVERHEADS,
    {"network/model": "LV08", "network/crosstraffic": "no", "network/TCP-gamma": 10000} | OVERHEADS,
    {"network/model": "SMPI", "smpi/async-small-thresh": 2000, "smpi/send-is-detached-thresh": 3000} | OVERHEADS,
    {"network/model": "LogGPS", "loggps/O": 1e-10, "loggps/S": 5000},
    {"network/model": "Constant", "network/latency-factor": 1e-4} | OVERHEADS,
    {"mpi": "openmpi-5.0", "fabric": "infiniband-edr"},
    {"mpi": "mpich-4", "fabric": "ethernet-1g"},
]


@pytest.fixture(scope="module")
def platforms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Platform]:
    """By name, with hosts h0 to h7."""
    folder = tmp_path_factory.mktemp("platforms")
    read_all = {}
    for name, text in PLATFORMS.items():
        path = folder / f"{name}.xml"
        path.write_text(f"{HEAD}{text}</platform>\n")
        read_all[name] = read(path)
    return read_all


def ping(size: int, nonblocking: bool, synchronous: bool) -> float:
    """When this rank is through with a message from rank 0 to rank 1."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    buffer = np.zeros(size, np.uint8)
    if comm.rank == 1:
        comm.Recv(buffer, 0)
    elif nonblocking:
        (comm.Issend if synchronous else comm.Isend)(buffer, 1).Wait()
    else:
        (comm.Ssend if synchronous else comm.Send)(buffer, 1)
    return MPI.Wtime()


@settings(max_examples=150, deadline=None)
@example(  # packets do not queue for the narrowest link, since it does not share
    platform="far",
    source=1,
    destination=2,
    size=0,
    cfg={"network/model": "Packets"},
    nonblocking=False,
    synchronous=False,
)
@given(
    platform=st.sampled_from(sorted(PLATFORMS)),
    source=st.integers(0, 7),
    destination=st.integers(0, 7),
    size=st.one_of(st.sampled_from([0, 1, 241, 1410, 65456, 65535, 65536]), st.integers(0, 200_000)),
    cfg=st.sampled_from(SETTINGS),
    nonblocking=st.booleans(),
    synchronous=st.booleans(),
)
def test_the_total_is_what_is_simulated(
    platforms: dict[str, Platform],
    platform: str,
    source: int,
    destination: int,
    size: int,
    cfg: Mapping[str, Any],
    nonblocking: bool,
    synchronous: bool,
) -> None:
    """Any size between any hosts; and the terms add up to the total."""
    hosts = [f"h{source}", f"h{destination}"]
    told = pysmpi.explain(platforms[platform], *hosts, size, cfg=cfg, nonblocking=nonblocking, synchronous=synchronous)
    simulated = pysmpi.simulate(
        ping,
        args=(size, nonblocking, synchronous),
        np=2,
        hosts=hosts,
        platform=platforms[platform],
        cfg={**cfg, "smpi/wtime": 0, "smpi/simulate-computation": "no"},
    )
    assert told.total == pytest.approx(simulated.values[1], rel=1e-12, abs=0)
    if told.detached:
        assert told.send_overhead == simulated.values[0]
    terms = (told.send_overhead, told.handshake, told.latency, told.transfer, told.receive_overhead)
    assert sum(terms) == pytest.approx(told.total, rel=1e-12)
    assert min(terms) >= -1e-15
    if told.links:
        assert told.latency == pytest.approx(told.route_latency * told.latency_factor + told.end_latency)
        queued = [link for link in told.links if link.policy == "SHARED"] if told.model == "Packets" else []
        lowest = min(link.bandwidth for link in queued or told.links)
        assert told.bottleneck is not None and told.bottleneck.bandwidth == lowest
        assert told.rate * told.transfer == pytest.approx(told.wire_size, rel=1e-4)
    json.dumps(told.as_dict())


@pytest.mark.parametrize(
    ("platform", "cfg", "held_by"),
    [
        ("flat", {"network/crosstraffic": "yes"}, "link c_backbone, which its ack"),
        ("flat", {"network/crosstraffic": "no"}, "link c_backbone"),
        ("half duplex", {"network/crosstraffic": "yes"}, "link c_link_0, which its ack"),
        ("tree", {}, "link"),
        ("far", {"network/crosstraffic": "no"}, "link thin"),
        ("far", {"network/TCP-gamma": 100}, "TCP window"),
        ("flat", {"network/model": "LogGPS"}, "loggps/G"),
        ("flat", {"network/model": "Constant"}, ""),
    ],
)
def test_what_holds_the_rate(platforms: dict[str, Platform], platform: str, cfg: dict[str, Any], held_by: str) -> None:
    """The narrowest link, TCP's window, or the message's own acknowledgements."""
    told = pysmpi.explain(platforms[platform], "h0", "h1", 100_000, cfg=cfg)
    assert told.held_by.startswith(held_by) and bool(told.held_by) == bool(held_by)


def test_errors(platforms: dict[str, Platform]) -> None:
    """Unknown hosts, settings without effect, and negative sizes."""
    flat = platforms["flat"]
    with pytest.raises(PlatformError, match="unknown host 'h9'; did you mean 'h"):
        pysmpi.explain(flat, "h0", "h9", 1)
    with pytest.raises(ConfigurationError, match="no effect under network/model:LogGPS"):
        pysmpi.explain(flat, "h0", "h1", 1, cfg=["network/model:LogGPS", "smpi/os:0:0:0"])
    with pytest.raises(LaunchError, match="size -1 is negative"):
        pysmpi.explain(flat, "h0", "h1", -1)


def test_not_inside_a_simulation(platform_file: pathlib.Path) -> None:
    """A rank cannot ask: the settings are the simulation's."""

    def ask() -> str:
        with pytest.raises(SimulationError) as caught:
            pysmpi.explain(platform_file, "node0", "node1", 1)
        return str(caught.value)

    result = pysmpi.simulate(ask, np=1, platform=platform_file, cfg={"smpi/simulate-computation": False})
    assert "a simulation is running" in result.values[0]


def test_packets_are_held_by_links_or_by_buffers(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "machine.xml"
    file.write_text(
        '<?xml version="1.0"?><platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/>'
        '<host id="b" speed="1Gf"/><link id="l" bandwidth="1GBps" latency="1us"/>'
        '<link id="f" bandwidth="10MBps" latency="0s" sharing_policy="FATPIPE"/>'
        '<link id="m" bandwidth="1GBps" latency="1us"/>'
        '<route src="a" dst="b"><link_ctn id="l"/><link_ctn id="f"/><link_ctn id="m"/></route></zone></platform>'
    )
    for buffer, holder in (("1e9", "link l"), ("4096", "packets/buffer: the packets wait")):
        cfg = {"network/model": "Packets", "packets/buffer": buffer}
        message = pysmpi.explain(str(file), "a", "b", 1_000_000, cfg=cfg)
        assert message.held_by.startswith(holder)
        assert message.bottleneck is not None
        assert message.bottleneck.name == "l"
