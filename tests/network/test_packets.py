"""Packets against closed forms: idle ways, incasts, queues and windows; conservation; messages of ranks."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.errors import SimulationError
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform, Torus
from pysmpi.platform.builder import Builder

SPEED, LATENCY = 1e9, 1e-7


class Packet(NamedTuple):
    time: float
    cables: Sequence[int]
    channels: Sequence[int]
    size: int


class Outcome(NamedTuple):
    arrivals: np.ndarray
    held: list[float]  # bytes behind each cable, at the end
    crossings: int


def carry(
    packets: Sequence[Packet], cables: Sequence[tuple[float, float]], *, channels: int = 1, room: float = 0.0
) -> Outcome:
    """Return the arrivals of packets over cables of some (bandwidth, latency); without a limit if `room` is 0."""
    network = lib.pysmpi_packets_create(channels, room)
    for bandwidth, latency in cables:
        lib.pysmpi_packets_add_cable(network, bandwidth, latency)
    for packet in packets:
        way, taken = (ffi.new("uint32_t[]", list(numbers)) for numbers in (packet.cables, packet.channels))
        lib.pysmpi_packets_send(network, packet.time, way, taken, len(packet.cables), packet.size)
    arrivals = ffi.new("double[]", len(packets))
    lib.pysmpi_packets_run(network, arrivals)
    held = [lib.pysmpi_packets_held(network, cable) for cable in range(len(cables))]
    outcome = Outcome(np.array(list(arrivals)), held, lib.pysmpi_packets_crossings(network))
    lib.pysmpi_packets_destroy(network)
    return outcome


def test_an_idle_way_takes_its_latencies_and_the_bytes_once() -> None:
    outcome = carry([Packet(0.0, range(5), [0] * 5, 4096)], [(SPEED, LATENCY)] * 5)
    assert outcome.arrivals[0] == pytest.approx(5 * LATENCY + 4096 / SPEED, rel=1e-12)


@pytest.mark.parametrize("slow", range(3))
def test_the_slowest_cable_is_paid_once(slow: int) -> None:
    cables = [(SPEED / 4 if cable == slow else SPEED, LATENCY) for cable in range(3)]
    outcome = carry([Packet(0.0, range(3), [0] * 3, 4096)], cables)
    assert outcome.arrivals[0] == pytest.approx(3 * LATENCY + 4 * 4096 / SPEED, rel=1e-12)


@pytest.mark.parametrize("buffer", [0.0, 4096.0, 65536.0])
def test_an_incast_takes_the_bytes_over_its_cable(buffer: float) -> None:
    senders, each = 7, 20
    packets = [Packet(0.0, [sender, senders], [0, 0], 4096) for sender in range(senders) for _ in range(each)]
    outcome = carry(packets, [(SPEED, LATENCY)] * (senders + 1), room=buffer)
    expected = 2 * LATENCY + senders * each * 4096 / SPEED
    if buffer == 4096.0:  # each packet but the first waits for the credit of the one before it
        expected += (senders * each - 1) * 2 * LATENCY
    assert outcome.arrivals.max() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("load", [0.5, 0.8, 0.9])
def test_one_queue_is_m_d_1(load: float) -> None:
    """The mean wait is load / (2 μ (1 - load)) for Poisson arrivals of equal packets."""
    service = 1000 / SPEED
    times = np.cumsum(np.random.default_rng(1).exponential(1.0, 300_000))
    times *= service / load * len(times) / times[-1]  # the mean exactly, which is most of the sample's error
    outcome = carry([Packet(time, [0], [0], 1000) for time in times], [(SPEED, 0.0)])
    wait = np.mean(outcome.arrivals - times) - service
    assert wait == pytest.approx(load * service / (2 * (1 - load)), rel=0.03)


@pytest.mark.parametrize("room", [1, 2, 3, 5, 20])
def test_a_buffer_is_a_window(room: int) -> None:
    """A channel with a buffer of b bytes passes b per round trip, which is both latencies and a packet's bytes."""
    size, count, latency = 1000, 2000, 1e-6
    outcome = carry([Packet(0.0, range(3), [0] * 3, size)] * count, [(SPEED, latency)] * 3, room=room * size)
    expected = min(SPEED, room * size / (2 * latency + size / SPEED))
    assert count * size / outcome.arrivals.max() == pytest.approx(expected, rel=2 * room / count + 2e-3)


@pytest.mark.parametrize("room", [1, 2, 3, 5, 20, 41, 43])
@pytest.mark.parametrize("senders", [1, 3])
def test_a_hosts_buffer_is_a_window(room: int, senders: int) -> None:
    """The last cable passes at most b bytes per round trip, with and without a switch before it."""
    size, count, latency = 1000, 2000, 2e-5
    ways = [[sender, senders] for sender in range(senders)] if senders > 1 else [[0]]
    cables = [(SPEED, LATENCY)] * (senders if senders > 1 else 0) + [(SPEED, latency)]
    packets = [Packet(0.0, way, [0] * len(way), size) for _ in range(count) for way in ways]
    outcome = carry(packets, cables, room=room * size)
    expected = min(SPEED, room * size / (2 * latency + size / SPEED))
    assert len(packets) * size / outcome.arrivals.max() == pytest.approx(expected, rel=2 * room / count + 2e-2)
    assert outcome.held[-1] == 0


def test_a_host_drains_its_buffer_while_others_wait() -> None:
    """Packets that end at a host share the link, but not the room, with those that go on."""
    cables = [(SPEED, LATENCY), (SPEED, LATENCY), (SPEED / 100, LATENCY)]
    onward = [Packet(0.0, [0, 1, 2], [0, 0, 0], 1000)] * 30
    ending = [Packet(1e-6, [1], [0], 1000)]
    outcome = carry([*onward, *ending], cables, room=2000)
    assert outcome.arrivals[-1] < outcome.arrivals[:-1].max() / 2


def test_channels_share_the_buffer_and_take_turns() -> None:
    packets = [Packet(0.0, [0, 1], [channel, channel], 1000) for channel in (0, 0, 0, 1, 1, 1)]
    outcome = carry(packets, [(SPEED, LATENCY)] * 2, channels=2)
    assert list(np.argsort(outcome.arrivals)) == [0, 3, 1, 4, 2, 5]
    alone = carry(packets[:1] * 100, [(SPEED, 1e-6)] * 2, channels=2, room=2000).arrivals.max()
    assert 100 * 1000 / alone == pytest.approx(2000 / 3e-6, rel=0.02)


def test_a_blocked_packet_holds_up_those_behind_it() -> None:
    """Two senders share a cable. One sends to a slow host, whose packets fill the buffer; the other one then waits."""
    cables = [(SPEED, LATENCY)] * 4 + [(SPEED / 10, LATENCY)]  # in, in, shared, fast host, slow host
    packets = [Packet(0.0, [0, 2, 4], [0] * 3, 1000)] * 50 + [Packet(0.0, [1, 2, 3], [0] * 3, 1000)] * 50
    endless, tight = (carry(packets, cables, room=buffer).arrivals[50:].max() for buffer in (0.0, 4000.0))
    assert endless < 110 * 1000 / SPEED
    assert tight > 3 * endless


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    hops=st.integers(2, 6),
    channels=st.integers(1, 3),
    room=st.integers(0, 4),
)
def test_packets_and_credits_are_conserved(data: st.DataObject, hops: int, channels: int, room: int) -> None:
    """On a line of cables, on which no cycle is possible, all packets arrive, and all credits come back."""
    packets = []
    for _ in range(data.draw(st.integers(1, 60))):
        first = data.draw(st.integers(0, hops - 1))
        length = data.draw(st.integers(1, hops - first))
        channel = data.draw(st.integers(0, channels - 1))
        packets.append(
            Packet(
                data.draw(st.sampled_from([0.0, 1e-7, 1e-6, 3e-6])),
                range(first, first + length),
                [channel] * length,
                data.draw(st.sampled_from([0, 1, 500, 1000])),
            )
        )
    speeds = data.draw(st.lists(st.sampled_from([SPEED, SPEED / 3]), min_size=hops, max_size=hops))
    outcome = carry(packets, [(speed, LATENCY) for speed in speeds], channels=channels, room=room * 1000.0)
    idle = [
        packet.time + len(packet.cables) * LATENCY + packet.size / min(speeds[cable] for cable in packet.cables)
        for packet in packets
    ]
    assert np.isfinite(outcome.arrivals).all()
    assert (outcome.arrivals >= np.array(idle) * (1 - 1e-12)).all()
    assert outcome.crossings == sum(len(packet.cables) for packet in packets)
    assert outcome.held == pytest.approx([0.0] * hops, abs=1e-6)


# What ranks see.

NO_OVERHEADS = dict.fromkeys(("smpi/os", "smpi/or", "smpi/ois"), "0:0:0")
NO_WORK = {"smpi/reduction-bandwidth": 0, "smpi/copy-bandwidth": 0}
NO_COMPUTATION = {"smpi/simulate-computation": False, "smpi/wtime": 0, **NO_WORK, **NO_OVERHEADS}
PACKETS = NO_COMPUTATION | {"network/model": "Packets", "precision/timing": 1e-15}


def message(size: int) -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    buffer = np.zeros(size, np.uint8)
    if comm.rank == 0:
        comm.Ssend(buffer, comm.size - 1)
    elif comm.rank == comm.size - 1:
        comm.Recv(buffer, 0)
    return MPI.Wtime()


def machine_of(cluster: Torus) -> Platform:
    builder = Builder()
    cluster.add_to(builder)
    return builder.finish("test")


def torus(*sizes: int) -> Platform:
    return machine_of(Torus(sizes, bandwidth="1GBps", latency="100ns"))


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 100_000])
@pytest.mark.parametrize("train", ["auto", "1", "5"])
def test_a_lone_message_as_explained(size: int, train: str) -> None:
    cfg = PACKETS | {"packets/train": train, "packets/buffer": "inf" if train == "5" else 32768}
    machine = torus(4, 4)
    hosts = [host.name for host in machine.hosts]
    result = pysmpi.simulate(message, args=(size,), np=16, platform=machine, cfg=cfg)
    route = machine.route(hosts[0], hosts[15])
    assert result.values[15] == pytest.approx(len(route.links) * 1e-7 + size / 1e9, rel=1e-9, abs=1e-15)
    told = pysmpi.explain(machine, hosts[0], hosts[15], size, cfg=cfg, synchronous=True)
    assert told.total == pytest.approx(result.values[15], rel=1e-9, abs=1e-15)
    assert [link.name for link in told.links] == [link.name for link in route.links]


def test_a_small_buffer_is_explained() -> None:
    cfg = PACKETS | {"packets/buffer": 1000, "packets/size": 1000}
    machine = torus(4, 4)
    result = pysmpi.simulate(message, args=(10_000,), np=16, platform=machine, cfg=cfg)
    told = pysmpi.explain(machine, machine.hosts[0].name, machine.hosts[15].name, 10_000, cfg=cfg, synchronous=True)
    assert result.values[15] == pytest.approx(2e-7 + 9 * 1.2e-6 + 1e-6, rel=1e-9)
    assert told.total == pytest.approx(result.values[15], rel=1e-9)


def incast(size: int) -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        MPI.Request.Waitall([comm.Irecv(np.zeros(size, np.uint8), sender) for sender in range(1, comm.size)])
    else:
        comm.Ssend(np.zeros(size, np.uint8), 0)
    return MPI.Wtime()


@pytest.mark.parametrize("buffer", ["inf", "32768", "4096"])
def test_incast_of_messages(buffer: str) -> None:
    result = pysmpi.simulate(incast, args=(40_960,), np=9, platform="flat:9", cfg=PACKETS | {"packets/buffer": buffer})
    flows = pysmpi.simulate(
        incast, args=(40_960,), np=9, platform="flat:9", cfg=NO_COMPUTATION | {"network/model": "raw"}
    )
    expected = 2 * 150e-9 + 8 * 40_960 / 12.5e9
    if buffer == "4096":  # the host's adapter holds one packet, and the next one waits for its credit
        assert result.values[0] == pytest.approx(expected + (8 * 10 - 1) * 2 * 150e-9, rel=1e-9)
        return
    assert result.values[0] == pytest.approx(expected, rel=1e-9)
    assert result.values[0] == pytest.approx(flows.values[0], rel=0.01)


def shift(size: int, by: int) -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    comm.Sendrecv(
        np.zeros(size, np.uint8), (comm.rank + by) % comm.size, recvbuf=np.zeros(size, np.uint8),
        source=(comm.rank - by) % comm.size,
    )  # fmt: skip
    return MPI.Wtime()


@pytest.mark.parametrize("by", [1, 5, 13])
def test_a_shift_on_a_tree_is_that_of_flows(by: int) -> None:
    """Under D-mod-K the ways of a shift do not meet."""
    times = [
        max(pysmpi.simulate(shift, args=(100_000, by), np=27, platform="fattree:3;3,3,3;1,3,3;1,1,1", cfg=cfg).values)
        for cfg in (
            PACKETS | {"packets/buffer": "inf"},
            NO_COMPUTATION | {"network/model": "raw", "network/crosstraffic": False},
        )
    ]
    assert times[0] == pytest.approx(times[1], rel=1e-3)


@pytest.mark.parametrize("routing", ["minimal", "valiant", "ugal-l"])
def test_two_runs_are_identical(routing: str) -> None:
    def run() -> list[float]:
        cfg = PACKETS | {"platform/routing": routing, "smpi/alltoall": "basic_linear", "packets/size": 1024}
        return pysmpi.simulate(exchange, args=(5000,), np=27, platform="torus:3,3,3", cfg=cfg).values

    assert run() == run()


def exchange(size: int) -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    comm.Alltoall(np.zeros(size * comm.size, np.uint8), np.zeros(size * comm.size, np.uint8))
    return MPI.Wtime()


def test_small_messages_may_bypass_queues() -> None:
    def run(size: int) -> float:
        cfg = PACKETS | {"packets/bypass": 256, "smpi/alltoall": "basic_linear"}
        return max(pysmpi.simulate(exchange, args=(size,), np=16, platform=torus(16), cfg=cfg).values)

    assert run(256) == pytest.approx(8 * 1e-7 + 256e-9, rel=1e-6)
    assert run(257) > 1e-6 + 20 * 257e-9


def two_messages(sizes: tuple[int, int]) -> list[float]:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        MPI.Request.Waitall([comm.Issend(np.zeros(size, np.uint8), 1, tag) for tag, size in enumerate(sizes)])
        return []
    requests = [comm.Irecv(np.zeros(size, np.uint8), 0, tag) for tag, size in enumerate(sizes)]
    times = [0.0, 0.0]
    for _ in requests:
        done = MPI.Request.Waitany(requests)
        times[done] = MPI.Wtime()
    return times


@pytest.mark.parametrize(("injection", "expected"), [("fifo", [100, 110]), ("fair", [110, 20])])
def test_adapters_inject_in_order_or_in_turn(injection: str, expected: list[int]) -> None:
    cfg = PACKETS | {"packets/injection": injection, "packets/size": 1000, "packets/train": 1}
    result = pysmpi.simulate(two_messages, args=((100_000, 10_000),), np=2, platform=torus(2), cfg=cfg)
    assert result.values[1] == pytest.approx([1e-7 + packets * 1e-6 for packets in expected], abs=4e-6)


def cancelled() -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        requests = [comm.Isend(np.zeros(40_000, np.uint8), 1, tag) for tag in range(3)]
        requests[2].Cancel()
        MPI.Request.Waitall(requests)
        comm.Send(np.zeros(10, np.uint8), 1, 9)
    else:
        for tag in (0, 1, 9):
            comm.Recv(np.zeros(40_000, np.uint8), 0, tag)
    return MPI.Wtime()


def test_a_message_is_cancelled_on_its_way() -> None:
    cfg = PACKETS | {"smpi/async-small-thresh": 60_000, "smpi/send-is-detached-thresh": 60_000}
    result = pysmpi.simulate(cancelled, np=2, platform=torus(2), cfg=cfg)
    assert result.values[1] == pytest.approx(80e-6 + 1e-7, rel=1e-3)


ZONE = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version='4.1'><zone id='z' routing='Full'>
{hosts}{links}{routes}
</zone></platform>
"""


def zone(path: Path, ways: dict[tuple[int, int], Sequence[int]], hosts: int, links: int) -> Path:
    """Write a platform whose ways are listed: from host to host, over the links of these numbers."""
    path.write_text(
        ZONE.format(
            hosts="".join(f"<host id='h{host}' speed='1Gf'/>\n" for host in range(hosts)),
            links="".join(f"<link id='l{link}' bandwidth='1GBps' latency='100ns'/>\n" for link in range(links)),
            routes="".join(
                f"<route src='h{a}' dst='h{b}' symmetrical='NO'>"
                + "".join(f"<link_ctn id='l{link}'/>" for link in way)
                + "</route>\n"
                for (a, b), way in ways.items()
            ),
        )
    )
    return path


def all_pairs() -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    for step in range(1, comm.size):
        comm.Sendrecv(
            np.zeros(20_000, np.uint8), (comm.rank + step) % comm.size, recvbuf=np.zeros(20_000, np.uint8),
            source=(comm.rank - step) % comm.size,
        )  # fmt: skip
    return MPI.Wtime()


def test_zones_that_are_trees_have_no_cycles(tmp_path: Path) -> None:
    """Eight hosts below a binary tree of three levels, whose links carry both directions."""
    ways: dict[tuple[int, int], Sequence[int]] = {}

    def climb(host: int) -> list[int]:  # links upwards: of the host, of its switch, of the switch above
        return [host, 8 + host // 2, 12 + host // 4]

    for a in range(8):
        for b in range(8):
            if a != b:
                up, down = ([link for link in climb(x) if link not in climb(y)] for x, y in ((a, b), (b, a)))
                ways[a, b] = [*up, *reversed(down)]
    platform = zone(tmp_path / "tree.xml", ways, 8, 14)
    result = pysmpi.simulate(all_pairs, np=8, platform=platform, cfg=PACKETS | {"packets/buffer": 4096})
    assert max(result.values) > 7 * 20_000 / 1e9


def test_a_cycle_of_links_is_an_error(tmp_path: Path) -> None:
    """Each message goes around a ring more than twice, which two channels cannot untie."""
    ways = {(a, b): [(a + i) % 3 for i in range(8)] for a in range(3) for b in range(3) if a != b}
    platform = zone(tmp_path / "ring.xml", ways, 3, 3)
    with pytest.raises(SimulationError, match=r"form a cycle: (l\d, ){3}l\d; use routes without cycles"):
        pysmpi.simulate(all_pairs, np=3, platform=platform, cfg=PACKETS)


@pytest.mark.parametrize("routing", ["ugal", "valiant"])
def test_a_later_packet_that_closes_a_cycle_is_an_error(routing: str) -> None:
    """Packets of a message take different routes over cables with one link for both directions."""
    machine = f"hyperx:3,3/1,1/2:routing={routing}:split_duplex=no"
    with pytest.raises(SimulationError, match="form a cycle: cluster_link"):
        pysmpi.simulate(all_pairs, np=16, platform=machine, cfg=PACKETS | {"packets/size": 256})


def test_messages_share_a_link_behind_links_that_nobody_shares(tmp_path: Path) -> None:
    """Hosts 0 and 1 send to hosts 2 and 3 over their own FATPIPE links, and then over one link."""
    path = zone(tmp_path / "zone.xml", {(a, b): [a, 2] for a in (0, 1) for b in (2, 3)}, 4, 3)
    text = path.read_text()
    for link in ("l0", "l1"):
        text = text.replace(f"id='{link}' ", f"id='{link}' sharing_policy='FATPIPE' ")
    path.write_text(text)
    result = pysmpi.simulate(two_senders, np=4, platform=path, cfg=PACKETS)
    assert max(result.values) == pytest.approx(2 * 40_000 / 1e9, rel=0.1)


def two_senders() -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank < 2:
        comm.Send(np.zeros(40_000, np.uint8), comm.rank + 2)
    else:
        comm.Recv(np.zeros(40_000, np.uint8), comm.rank - 2)
    return MPI.Wtime()


def test_two_channels_untie_a_ring(tmp_path: Path) -> None:
    ways = {(a, b): [(a + i) % 6 for i in range((b - a) % 6 + 1)] for a in range(6) for b in range(6) if a != b}
    platform = zone(tmp_path / "ring.xml", ways, 6, 6)
    result = pysmpi.simulate(all_pairs, np=6, platform=platform, cfg=PACKETS | {"packets/buffer": 4096})
    assert min(result.values) > 5 * 20_000 / 1e9


# Transpositions of 24 x 24 ranks on a full dragonfly: what finite buffers cost.

DRAGONFLY = "dragonfly:5,1;5,1;5,1;5;1"


def transpose(batch: int) -> float:
    """Exchange 64 KiB with all ranks of a row of 24 x 24, then of a column, `batch` ranks at a time by distance."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    side = 24
    here = comm.rank % side, comm.rank // side
    out, into = (pysmpi.folded_empty(65536, np.uint8) for _ in range(2))
    comm.Barrier()
    begin = MPI.Wtime()
    for phase in range(2):
        first, step = (here[1] * side, 1) if phase == 0 else (here[0], side)
        for nearest in range(1, side, batch):
            distances = range(nearest, min(nearest + batch, side))
            members = [
                [first + step * ((here[phase] + way * distance) % side) for distance in distances] for way in (-1, 1)
            ]
            requests = [comm.Irecv(into, member, phase) for member in members[0]]
            MPI.Request.Waitall(requests + [comm.Isend(out, member, phase) for member in members[1]])
        comm.Barrier()
    return MPI.Wtime() - begin


def transposition(buffer: int, batch: int) -> float:
    cfg = PACKETS | {
        "packets/buffer": buffer,
        "platform/routing": "valiant",
        "smpi/ois": "0:0.5us:0",
        "smpi/async-small-thresh": 10**6,
        "smpi/send-is-detached-thresh": 10**6,
    }
    return max(pysmpi.simulate(transpose, args=(batch,), np=576, platform=DRAGONFLY, cfg=cfg).values)


def test_small_buffers_cost_time() -> None:
    """With 32 KiB a cable, transpositions take longer than with 128 KiB, all messages at once or four at a time."""
    small, large = ([transposition(buffer, batch) for batch in (23, 4)] for buffer in (32768, 131072))
    assert small[0] > 1.05 * large[0]
    assert small[1] > 1.05 * large[1]
