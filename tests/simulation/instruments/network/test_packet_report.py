"""Tests of network reports under network/model:Packets: waits of packets, stalls of links and their roots."""

import csv
import json
import pathlib

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster, Torus
from pysmpi.platform.topologies import ClusterOfHosts
from pysmpi.simulation.instruments import NetworkUse, PacketDelays, PacketLinkUse
from pysmpi.simulation.instruments.network.network_text import network_lines

SIZE, PACKET, SPEED, LATENCY = 80 * 4096, 4096, 1e9, 1e-7
SECONDS = PACKET / SPEED
FLAT = Cluster(hosts=6, bandwidth="1GBps", latency="100ns", speed="1Gf")


def use_of(program, *arguments, np: int, platform: ClusterOfHosts = FLAT, **settings: object) -> NetworkUse:
    cfg = {"network/model": "Packets", "smpi/simulate-computation": "no", "smpi/os": "0:0:0", "smpi/ois": "0:0:0",
           "smpi/or": "0:0:0", **{name.replace("__", "/"): str(value) for name, value in settings.items()}}  # fmt: skip
    found = pysmpi.simulate(program, np=np, platform=platform, cfg=cfg, args=arguments, network_report=True).network
    assert found is not None
    return found


def ports(use: NetworkUse) -> dict[str, PacketLinkUse]:
    assert all(isinstance(link, PacketLinkUse) for link in use.links)
    return {link.name.removeprefix("cluster_link_"): link for link in use.links if isinstance(link, PacketLinkUse)}


def delays(use: NetworkUse) -> PacketDelays:
    assert use.delays is not None
    return use.delays


def messages(pairs: list[tuple[int, int]], size: int = SIZE) -> None:
    """Send all messages at once."""
    world = MPI.COMM_WORLD
    requests = [world.Irecv(bytearray(size), source) for source, to in pairs if to == world.rank]
    requests += [world.Isend(bytearray(size), to) for source, to in pairs if source == world.rank]
    MPI.Request.Waitall(requests)


def test_a_lone_message_waits_nowhere() -> None:
    use = use_of(messages, [(0, 1)], np=2)
    assert {name: (link.bytes, link.flows) for name, link in ports(use).items()} == {
        "0_UP": (SIZE, 80), "1_DOWN": (SIZE, 80)
    }  # fmt: skip
    assert all(link.longest < 1e-12 and link.stalled == link.caused == 0.0 for link in ports(use).values())
    assert delays(use).packets.sum() == 80
    assert delays(use).share_without + delays(use).share(0.0, 1e-7) == 1.0
    assert delays(use).by_ranks.sum() == pytest.approx(0.0, abs=1e-12)
    assert use.busiest is not None
    assert use.busiest.bytes / use.busiest.bandwidth == pytest.approx(SIZE / SPEED)


def test_waits_in_an_incast_with_endless_buffers() -> None:
    """Three senders: of each three packets, one has the receiver's cable at once, and queues grow packet by packet."""
    senders = 3
    use = use_of(messages, [(source, 5) for source in range(senders)], np=6, packets__buffer="inf", packets__train=1)
    shared = ports(use)["5_DOWN"]
    assert (shared.flows, shared.stalled, shared.caused) == (240, 0.0, 0.0)
    # Packet number i of all comes at SECONDS * (i // 3) after the first one, and leaves at SECONDS * i.
    waits = [SECONDS * (i - i // senders) for i in range(240)]
    assert shared.held == pytest.approx(sum(waits), rel=1e-9)
    assert shared.longest == pytest.approx(max(waits), rel=1e-9)
    assert shared.saturated == pytest.approx(SECONDS * 239, rel=1e-9)
    found = delays(use)
    assert found.mean == pytest.approx(np.mean(waits), rel=1e-9)
    assert found.by_ranks.sum() == pytest.approx(sum(waits), rel=1e-9)
    assert np.count_nonzero(found.by_ranks) == senders
    for begin, end in ((1e-5, 2e-5), (1e-4, 2e-4), (0.0, 1e-4)):
        expected = sum(begin <= wait < end and wait > 0 for wait in waits) / 240
        assert found.share(begin, end) == pytest.approx(expected, abs=0.01)


def test_the_root_of_stalls_is_the_full_cable() -> None:
    """The receiver's cable is full; the senders' cables stall, because the buffers behind them are."""
    use = use_of(messages, [(source, 5) for source in range(4)], np=6)
    found = ports(use)
    stalled = sum(link.stalled for link in found.values())
    assert found["5_DOWN"].caused == pytest.approx(stalled)
    assert stalled > 1.5 * use.seconds
    assert all(found[f"{source}_UP"].stalled > 0.5 * use.seconds for source in range(4))
    assert all(found[f"{source}_UP"].head_of_line < 0.01 * use.seconds for source in range(4))
    assert found["5_DOWN"].stalled == 0.0


def test_head_of_line_blocking_costs_the_packets_for_an_idle_cable() -> None:
    """Host 0 sends to the busy host 5 and, in turn, to host 4, whose cable is idle most of the time."""
    use = use_of(messages, [(0, 5), (0, 4), *((source, 5) for source in (1, 2, 3))], np=6, packets__injection="fair")
    found = ports(use)
    assert found["0_UP"].head_of_line > 0.1 * use.seconds
    assert all(found[f"{source}_UP"].head_of_line < 0.02 * use.seconds for source in (1, 2, 3))
    assert found["5_DOWN"].caused > 0.9 * sum(link.caused for link in found.values())


def test_a_root_is_followed_over_several_links() -> None:
    """On a ring, hosts of switches 0 and 1 send to a host of switch 3, to which the others of switch 3 send more."""
    ring = Torus([8], hosts=4, bandwidth="1GBps", latency="100ns", speed="1Gf")
    pairs = [(0, 13), (4, 13), *((source, 13) for source in (12, 14, 15) for _ in range(4))]
    use = use_of(messages, pairs, np=16, platform=ring, packets__buffer=16384)
    found = {name.removeprefix("cluster_link_"): link for name, link in ports(use).items()}
    root = max(found.values(), key=lambda link: link.caused)
    assert "host_13_" in root.name
    assert root.caused > 0.9 * sum(link.stalled for link in found.values())
    between = [link for name, link in found.items() if "from_switch_0_to_switch_1" in name]
    assert len(between) == 1
    assert between[0].stalled > 0.3 * use.seconds


def test_stalls_and_causes_add_up_and_nothing_else_changes() -> None:
    def exchange() -> float:
        world = MPI.COMM_WORLD
        blocks = bytearray(20_000 * world.size)
        world.Alltoall(blocks, bytearray(len(blocks)))
        return MPI.Wtime()

    torus = Torus([3, 3], hosts=2, bandwidth="1GBps", latency="100ns", speed="1Gf")
    use = use_of(exchange, np=18, platform=torus)
    stalled, caused = (sum(getattr(link, name) for link in ports(use).values()) for name in ("stalled", "caused"))
    assert stalled == pytest.approx(caused, rel=1e-9)
    assert stalled > 0
    found = delays(use)
    assert found.by_ranks.sum() == pytest.approx(sum(link.held for link in ports(use).values()), rel=1e-9)
    assert int(found.packets.sum()) == 18 * 17 * 5
    cfg = {"network/model": "Packets", "smpi/simulate-computation": "no"}
    times = [
        pysmpi.simulate(exchange, np=18, platform=torus, cfg=cfg, network_report=report).values
        for report in (False, True)
    ]
    assert times[0] == times[1]


def test_messages_that_bypass_queues_have_no_delay() -> None:
    use = use_of(messages, [(source, 5) for source in range(4)], 100, np=6, packets__bypass=256)
    assert not use.links
    assert delays(use).packets.sum() == 0
    assert delays(use).by_ranks.sum() == 0.0
    assert delays(use).mean == 0.0


def test_text_and_files(pysmpirun, tmp_path: pathlib.Path) -> None:
    source = """
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank == 0:
            MPI.Request.Waitall([world.Irecv(bytearray(10**5), i) for i in range(1, 5)])
        else:
            world.Send(bytearray(10**5), 0)
    """
    cfg = ["--cfg=network/model:Packets", "--cfg=smpi/simulate-computation:no"]
    cfg += ["--platform", "flat:5:bw=1GBps:lat=100ns"]
    run = pysmpirun("-np", "5", *cfg, "--network-report=net", "--save-run=run", "program.py", source=source)
    assert run.returncode == 0, run.stderr
    for text in ("network: the busiest link, cluster_link_0_DOWN, needs 400 us for its",
                 "5 of 15 links carried traffic", "network: delays of 100 packets: mean",
                 "network: links that were saturated longest:",
                 "network: links that were idle longest because the buffer behind them was full:",
                 "network: roots of the congestion (other links stalled because of these):"):  # fmt: skip
        assert text in run.stderr
    with (tmp_path / "net" / "links.csv").open() as file:
        rows = {row["link"]: row for row in csv.DictReader(file)}
    assert float(rows["cluster_link_0_DOWN"]["caused"]) > 0
    assert float(rows["cluster_link_1_UP"]["stalled"]) > 0
    with (tmp_path / "net" / "delays.csv").open() as file:
        bins = list(csv.DictReader(file))
    assert sum(int(row["packets"]) for row in bins) == 100
    with (tmp_path / "net" / "delay_matrix.csv").open() as file:
        assert {row["receiver"] for row in csv.DictReader(file)} == {"0"}
    saved = json.loads((tmp_path / "run" / "network" / "delays.json").read_text())
    assert sum(saved["packets"]) == 100
    assert len(saved["begins"]) == len(saved["packets"]) == len(bins)
    links = json.loads((tmp_path / "run" / "network" / "links.json").read_text())
    assert {"stalled", "head_of_line", "caused", "longest"} < links[0].keys()


def test_the_floor_of_flows_is_reported(pysmpirun) -> None:
    use = use_of(messages, [(0, 1), (2, 1)], np=3, network__model="CM02", network__crosstraffic="no")
    (line,) = (line for line in network_lines(use) if "busiest" in line)
    assert line.startswith("network: the busiest link, cluster_link_1_DOWN, needs 655.392 us for its")
