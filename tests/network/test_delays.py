"""The models without sharing, LogGPS and Constant, against their closed forms; an incast under every model."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.simulation.settings.network_models import LINK_MODELS, MODELS

NO_COMPUTATION = {"smpi/simulate-computation": False}
LATENCY, OVERHEAD, GAP, BYTE_GAP, BYTE_OVERHEAD, THRESHOLD = 3e-6, 1e-6, 2e-6, 1e-9, 5e-10, 1000
LOGGPS = NO_COMPUTATION | {
    "network/model": "LogGPS",
    "loggps/L": LATENCY,
    "loggps/o": OVERHEAD,
    "loggps/g": GAP,
    "loggps/G": BYTE_GAP,
    "loggps/O": BYTE_OVERHEAD,
    "loggps/S": THRESHOLD,
    "smpi/wtime": 0,
    "precision/timing": 1e-15,  # what is closer together happens at once
}


def message(size: int, sender_late: float, receiver_late: float, synchronous: bool) -> float:
    import time

    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    buffer = np.zeros(size, np.uint8)
    if comm.rank == 0:
        time.sleep(sender_late)
        (comm.Ssend if synchronous else comm.Send)(buffer, 1)
    else:
        time.sleep(receiver_late)
        comm.Recv(buffer, 0)
    return MPI.Wtime()


@settings(max_examples=40, deadline=None)
@given(
    size=st.one_of(st.sampled_from([0, 1, 2, THRESHOLD - 1, THRESHOLD, THRESHOLD + 1]), st.integers(0, 5000)),
    sender_late=st.sampled_from([0.0, 1e-6, 5e-6, 2e-5]),
    receiver_late=st.sampled_from([0.0, 1e-6, 5e-6, 2e-5]),
    synchronous=st.booleans(),
)
def test_loggps_takes_its_closed_form(
    platform_file: Path, size: int, sender_late: float, receiver_late: float, synchronous: bool
) -> None:
    """Either end spends o and O a byte, the network L and G a byte, and rendezvous a request and a reply of L each."""
    result = pysmpi.simulate(
        message, args=(size, sender_late, receiver_late, synchronous), np=2, platform=platform_file, cfg=LOGGPS
    )
    following = max(size - 1, 0)
    overhead = OVERHEAD + following * BYTE_OVERHEAD
    sent = sender_late + overhead
    if size > THRESHOLD or synchronous:
        arrival = max(sent + LATENCY, receiver_late) + LATENCY + following * BYTE_GAP + LATENCY
        sender_through = arrival
    else:
        arrival = max(sent + LATENCY + following * BYTE_GAP, receiver_late)
        sender_through = sent
    assert result.values == pytest.approx([sender_through, arrival + overhead], rel=1e-12, abs=1e-18)


def stream(sizes: list[int]) -> list[float]:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        MPI.Request.Waitall([comm.Isend(np.zeros(size, np.uint8), 1, tag) for tag, size in enumerate(sizes)])
        return []
    requests = [comm.Irecv(np.zeros(size, np.uint8), 0, tag) for tag, size in enumerate(sizes)]
    times = []
    for request in requests:
        request.Wait()
        times.append(MPI.Wtime())
    return times


def test_the_gap_between_messages_of_a_host(platform_file: Path) -> None:
    """A message leaves g + (k - 1) G after the one before it, or when its overhead is over, whichever is later."""
    sizes = [500, 1, 900, 0, 30]
    result = pysmpi.simulate(stream, args=(sizes,), np=2, platform=platform_file, cfg=LOGGPS)
    sender = nic = receiver = 0.0
    expected = []
    for size in sizes:
        following = max(size - 1, 0)
        sender += OVERHEAD + following * BYTE_OVERHEAD
        departure = max(sender, nic)
        nic = departure + GAP + following * BYTE_GAP
        receiver = max(receiver, departure + following * BYTE_GAP + LATENCY) + OVERHEAD + following * BYTE_OVERHEAD
        expected.append(receiver)
    assert result.values[1] == pytest.approx(expected, rel=1e-12)


def test_ranks_of_a_host_share_its_gap(platform_file: Path) -> None:
    def run(hosts: list[str]) -> float:
        return max(pysmpi.simulate(pairs, np=4, hosts=hosts, platform=platform_file, cfg=LOGGPS).values)

    together, apart = run(["node0", "node0", "node1", "node1"]), run(["node0", "node1", "node2", "node3"])
    assert together - apart == pytest.approx(GAP + 99 * BYTE_GAP)


def pairs() -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    buffer = np.zeros(100, np.uint8)
    if comm.rank < 2:
        comm.Send(buffer, comm.rank + 2)
    else:
        comm.Recv(buffer, comm.rank - 2)
    return MPI.Wtime()


def incast() -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        requests = [comm.Irecv(np.zeros(1_000_000, np.uint8), sender) for sender in range(1, comm.size)]
        MPI.Request.Waitall(requests)
    else:
        comm.Send(np.zeros(1_000_000, np.uint8), 0)
    return MPI.Wtime()


HOSTS = [f"n{i}" for i in range(9)]


@pytest.fixture
def nine(tmp_path: Path) -> Path:
    """Nine hosts on a switch, with almost no latency."""
    path = tmp_path / "nine.xml"
    path.write_text(
        "<?xml version='1.0'?>\n<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-8' "
        "speed='1Gf' bw='1GBps' lat='1ns'/></platform>\n"
    )
    return path


@pytest.mark.parametrize("model", LINK_MODELS)
def test_incast_shares_the_last_link_eightfold(nine: Path, model: str) -> None:
    cfg = NO_COMPUTATION | {"network/model": model}
    one, eight = (
        pysmpi.simulate(incast, np=count, hosts=HOSTS[:count], platform=nine, cfg=cfg).values[0] for count in (2, 9)
    )
    assert eight / one == pytest.approx(8, rel=1e-3)


@pytest.mark.parametrize("model", sorted(set(MODELS) - set(LINK_MODELS)))
def test_incast_without_contention(nine: Path, model: str) -> None:
    from pysmpi.simulation.launch.summary import summary

    cfg = NO_COMPUTATION | {"network/model": model, "smpi/wtime": 0}
    if model == "LogGPS":
        cfg["loggps/o"] = 0
    results = [pysmpi.simulate(incast, np=count, hosts=HOSTS[:count], platform=nine, cfg=cfg) for count in (2, 9)]
    assert results[1].values[0] == pytest.approx(results[0].values[0], rel=1e-12)
    assert f"{model} has no contention" in summary(results[1])
    assert f"under network/model:{model} " in summary(results[1], verbose=True)


def test_no_flows_are_made(nine: Path) -> None:
    counters = pysmpi.simulate(incast, np=9, hosts=HOSTS, platform=nine, cfg=LOGGPS).counters
    assert (counters.messages, counters.flows, counters.solves, counters.links_touched) == (8, 0, 0, 0)


def test_hosts_without_routes_can_talk(tmp_path: Path) -> None:
    path = tmp_path / "none.xml"
    path.write_text(
        "<?xml version='1.0'?>\n<platform version='4.1'><zone id='z' routing='None'>"
        "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/></zone></platform>\n"
    )
    result = pysmpi.simulate(message, args=(0, 0.0, 0.0, False), np=2, platform=path, cfg=LOGGPS)
    assert result.values[1] == pytest.approx(2 * OVERHEAD + LATENCY)


def sent_and_withdrawn() -> float:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    buffer = np.zeros(10, np.uint8)
    if comm.rank == 0:
        request = comm.Isend(buffer, 1, 1)
        request.Cancel()
        request.Wait()
        comm.Send(buffer, 1, 2)
    else:
        comm.Recv(buffer, 0, 2)
    return MPI.Wtime()


def test_a_message_is_cancelled_on_its_way(platform_file: Path) -> None:
    result = pysmpi.simulate(sent_and_withdrawn, np=2, platform=platform_file, cfg=LOGGPS)
    following = 9
    departure = max(
        2 * (OVERHEAD + following * BYTE_OVERHEAD), OVERHEAD + following * BYTE_OVERHEAD + GAP + following * BYTE_GAP
    )
    expected = departure + following * BYTE_GAP + LATENCY + OVERHEAD + following * BYTE_OVERHEAD
    assert result.values[1] == pytest.approx(expected, rel=1e-12)
