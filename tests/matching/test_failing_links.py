"""Messages over links that fail, and ranks on hosts that fail, by profiles of the platform."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pysmpi

PROC_FAILED, OTHER = 101, 15  # MPIX_ERR_PROC_FAILED and MPI_ERR_OTHER of MPICH's ABI
LARGE = 10_000_000  # of 8 bytes: 80 ms
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf"/>
    <host id="b" speed="1Gf" core="2"/>
    <link id="wire" bandwidth="1GBps" latency="10us"/>
    <link id="within" bandwidth="1GBps" latency="1us"/>
    <route src="a" dst="b"><link_ctn id="wire"/></route>
    <route src="b" dst="b"><link_ctn id="within"/></route>
  </zone>
  <trace id="broken" periodicity="-1">2.0 0
3.0 1</trace>
  <trace_connect trace="broken" kind="{kind}" element="{element}"/>
</platform>
"""
Simulate = Callable[..., pysmpi.Result]


@pytest.fixture
def simulate(tmp_path: Path) -> Simulate:
    """Simulate a function on three ranks, one on host a and two on b; a link or a host is off from 2 to 3 s."""

    def run(program: Callable[..., Any], kind: str, element: str, **cfg: Any) -> pysmpi.Result:
        file = tmp_path / "platform.xml"
        file.write_text(PLATFORM.format(kind=kind, element=element))
        settings = {"smpi/simulate-computation": False} | {"smpi/" + key: value for key, value in cfg.items()}
        return pysmpi.simulate(program, np=3, platform=file, hosts=["a", "b", "b"], cfg=settings)

    return run


def outcome_of(action: Callable[[], Any]) -> tuple[int, str, float]:
    """Return the error class and text of an MPI call, and its end."""
    from mpi4py import MPI

    try:
        action()
    except MPI.Exception as error:
        return error.Get_error_class(), str(error), round(MPI.Wtime(), 3)
    return 0, "", round(MPI.Wtime(), 3)


def exchange_at(begin: float, elements: int, wait: float = 0.0) -> list[tuple[int, str, float]] | None:
    """Send a message from rank 0 to rank 1, and another at 3.5 s, when the link is on again."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 2:
        return None
    outcomes = []
    for date, count in ((begin, elements), (3.5, 1)):
        data = np.zeros(count)
        time.sleep(date - MPI.Wtime())
        if comm.rank == 0:
            outcomes.append(outcome_of(lambda data=data: comm.Send(data, 1)))
        else:
            time.sleep(wait)
            outcomes.append(outcome_of(lambda data=data: comm.Recv(data, 0)))
    return outcomes


def text(function: str) -> str:
    return f"{function}: link wire failed while the message was in flight (MPI_ERR_OTHER)"


def test_a_transfer_ends_with_its_link(simulate: Simulate) -> None:
    """Both ends get an error when the link fails; a later message arrives."""
    values = simulate(lambda: exchange_at(1.98, LARGE), "LINK_AVAIL", "wire").values
    assert values[0][0] == (OTHER, text("MPI_Send"), 2.0)
    assert values[1][0] == (OTHER, text("MPI_Recv"), 2.0)
    assert [each[1][0] for each in values[:2]] == [0, 0]


def test_a_transfer_does_not_begin_while_its_link_is_off(simulate: Simulate) -> None:
    """Both ends get an error at once."""
    values = simulate(lambda: exchange_at(2.5, LARGE), "LINK_AVAIL", "wire").values
    assert [each[0] for each in values[:2]] == [(OTHER, text("MPI_Send"), 2.5), (OTHER, text("MPI_Recv"), 2.5)]


def test_the_sender_of_a_detached_message_is_not_told(simulate: Simulate) -> None:
    """The sender has continued; only the receiver gets the error."""
    values = simulate(lambda: exchange_at(2.5, 10), "LINK_AVAIL", "wire").values
    assert [each[0][0] for each in values[:2]] == [0, OTHER]


def test_an_eager_message_that_is_lost_keeps_its_receiver(simulate: Simulate) -> None:
    """Received half a second later, it gives the error; the waiting sender got it when the link failed."""
    settings = {"async-small-thresh": 1 << 30, "send-is-detached-thresh": 0}
    values = simulate(lambda: exchange_at(1.98, LARGE, 0.5), "LINK_AVAIL", "wire", **settings).values
    assert values[0][0] == (OTHER, text("MPI_Send"), 2.0)
    assert values[1][0] == (OTHER, text("MPI_Recv"), 2.48)
    assert values[1][1][0] == 0


def in_collectives() -> list[tuple[int, float]] | None:
    """Call collectives across the link while it is off, and afterwards."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    total = np.zeros(1)
    outcomes = []
    for date in (2.5, 3.5):
        time.sleep(date - MPI.Wtime())
        error = outcome_of(lambda: comm.Allreduce(np.ones(1), total))[0]
        outcomes.append((error, float(total[0]) if error == 0 else 0.0))
    return outcomes


def test_a_collective_fails_at_each_rank_that_misses_something(simulate: Simulate) -> None:
    """This includes ranks on one host if they forward missing data."""
    assert simulate(in_collectives, "LINK_AVAIL", "wire").values == [[(OTHER, 0.0), (0, 3.0)]] * 3


def on_a_failing_host() -> list[tuple[int, str, float]]:
    """Wait in rank 0 for rank 1, and then for rank 2, whose host has failed."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank > 0:
        try:
            pysmpi.execute(10.0)
            comm.Barrier()
        finally:
            print("does not run")
    return [outcome_of(lambda source=source: comm.Recv(np.zeros(1), source)) for source in (1, 2)]


def test_all_ranks_of_a_host_fail_with_it(simulate: Simulate, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranks of the host fail at once, although the host recovers; other ranks get an error at that time."""
    result = simulate(on_a_failing_host, "HOST_AVAIL", "b")
    names = [f"MPI_Recv: rank {rank} of MPI_COMM_WORLD (host b) has failed (MPIX_ERR_PROC_FAILED)" for rank in (1, 2)]
    assert result.values == [[(PROC_FAILED, name, 2.0) for name in names], None, None]
    assert [outcome.failed_at for outcome in result.ranks] == [None, 2.0, 2.0]
    assert result.simulated_time == pytest.approx(2.0)
    assert capsys.readouterr().out == ""
