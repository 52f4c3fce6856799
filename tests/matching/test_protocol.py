"""Time of one message, compared with its closed form (SMPI's model and protocol; SimGrid 3.32)."""

from pathlib import Path

import numpy as np
import pytest

import pysmpi

pytestmark = pytest.mark.smpi

BANDWIDTH, LATENCY = 1.25e9, 1e-5  # of the route: an up and a down cable of 5 us
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="10Gbps" lat="5us"/>
</platform>
"""
# Factors above these sizes in bytes (smpi/bw-factor and smpi/lat-factor; payload and 16 bytes of envelope).
STEPS = [0, 257, 732, 1426, 3484, 5776, 9376, 15424, 65472]
BANDWIDTH_FACTORS = [0.812084, 0.338112, 0.341987, 0.608902, 0.77493, 1.08739, 0.58729, 0.697866, 0.940694]
LATENCY_FACTORS = [2.01467, 1.95341, 1.9503, 1.61075, 1.88101, 2.18796, 2.59299, 3.48845, 11.6436]
DETACHED = 65536  # bytes: smaller sends do not wait (smpi/send-is-detached-thresh)
CLOCK = 1e-8  # time to read the clock (smpi/wtime)
EXACT = {"smpi/simulate-computation": "no"}


def time_of(size: int) -> float:
    """Return the transfer time in seconds of a lone message of `size` bytes."""
    total = size + 16
    step = max(i for i, above in enumerate(STEPS) if total > above)
    return LATENCY_FACTORS[step] * LATENCY + total / (BANDWIDTH_FACTORS[step] * BANDWIDTH)


@pytest.fixture
def two_hosts(tmp_path: Path) -> Path:
    path = tmp_path / "two.xml"
    path.write_text(PLATFORM)
    return path


def one_message(size: int, sender_late: float, receiver_late: float, synchronous: bool) -> float:
    """Return the time at which this rank has finished a message from rank 0 to rank 1."""
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


@pytest.mark.parametrize("size", [0, 1, 241, 242, 716, 1000, 1410, 8192, 65456, 65457, 65535, 65536, 1_000_000])
@pytest.mark.parametrize(("sender_late", "receiver_late"), [(0.0, 0.0), (0.01, 0.0), (0.0, 0.01)])
@pytest.mark.parametrize("synchronous", [False, True])
def test_a_message_takes_its_closed_form(
    two_hosts: Path, size: int, sender_late: float, receiver_late: float, synchronous: bool
) -> None:
    """The flow starts when both ends are ready; a small standard send returns at once."""
    result = pysmpi.simulate(
        one_message, args=(size, sender_late, receiver_late, synchronous), np=2, platform=two_hosts, cfg=EXACT
    )
    end = max(sender_late, receiver_late) + time_of(size)
    detached = size < DETACHED and not synchronous
    assert result.values == pytest.approx([sender_late if detached else end, end], rel=1e-12, abs=1e-15)


def ping_pong(size: int, rounds: int) -> float:
    """Return the mean time of one way, as osu_latency does."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    buffer = np.zeros(size, np.uint8)
    start = MPI.Wtime()
    for _ in range(rounds):
        if comm.rank == 0:
            comm.Send(buffer, 1)
            comm.Recv(buffer, 1)
        else:
            comm.Recv(buffer, 0)
            comm.Send(buffer, 0)
    return (MPI.Wtime() - start) / (2 * rounds)


@pytest.mark.parametrize("size", [8, 4096, 100_000])
def test_ping_pong_is_twice_one_message(two_hosts: Path, size: int) -> None:
    """In a hundred round trips each way takes the time of a lone message; the clock's cost counts once."""
    result = pysmpi.simulate(ping_pong, args=(size, 100), np=2, platform=two_hosts, cfg=EXACT)
    assert result.values[0] == pytest.approx(time_of(size) + CLOCK / 200, rel=1e-9)
