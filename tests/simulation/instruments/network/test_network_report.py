"""Tests of network reports: traffic and saturation of links, and the communication matrix."""

import csv
import pathlib

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments import NetworkUse

FREE = {"smpi/simulate-computation": False, "network/crosstraffic": False}
PLATFORM = Cluster(hosts=4, cores=256, speed="1Gf", bandwidth="1GBps", latency="10us")
SIZE = 4_000_000


def _use_of(program, np=4, cfg=FREE, platform=PLATFORM, **settings) -> NetworkUse:
    use = pysmpi.simulate(program, np=np, platform=platform, cfg=cfg, network_report=True, **settings).network
    assert use is not None
    return use


def incast():
    """Send from all ranks to rank 0 at once."""
    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        MPI.Request.Waitall([comm.Irecv(np.zeros(SIZE, np.uint8), i) for i in range(1, comm.size)])
    else:
        comm.Send(np.zeros(SIZE, np.uint8), 0)


@pytest.fixture(scope="module")
def use() -> NetworkUse:
    hosts = [f"node-{i}" for i in range(4)]
    return _use_of(incast, hosts=hosts)


def test_links_carry_what_crosses_them(use: NetworkUse) -> None:
    """The shared link carries all messages and is saturated while they move; the others carry one message each."""
    links = {link.name: link for link in use.links}
    (shared,) = (link for name, link in links.items() if name.endswith("0_DOWN"))
    assert shared.flows == 3
    assert shared.bytes == pytest.approx(3 * SIZE, rel=0.1)  # and what the bandwidth factor takes away
    assert shared.sharing == pytest.approx(3.0)
    assert shared.saturated == pytest.approx(shared.bytes / shared.bandwidth, rel=1e-6)
    assert shared.utilisation(use.seconds) == pytest.approx(shared.saturated / use.seconds)
    own = [link for name, link in links.items() if name.endswith("_UP")]
    assert len(own) == 3
    assert all(link.flows == 1 and link.saturated == 0.0 for link in own)
    assert use.bottlenecks()[0] is shared
    assert use.all_links == 12


def test_the_matrix_tells_who_sends_to_whom(use: NetworkUse) -> None:
    expected = np.zeros((4, 4), np.int64)
    expected[1:, 0] = SIZE
    assert (use.matrix.bytes == expected).all()
    assert (use.matrix.messages == (expected > 0)).all()
    assert list(use.matrix.entries()) == [(rank, 0, 1, SIZE) for rank in (1, 2, 3)]


def test_the_matrix_counts_messages_inside_collectives() -> None:
    result = pysmpi.simulate(
        lambda: MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank),
        np=5,
        platform=PLATFORM,
        cfg=FREE,
        network_report=True,
    )
    assert result.network is not None
    assert result.network.matrix.bytes.sum() == result.counters.bytes
    assert result.network.matrix.messages.sum() == result.counters.messages


def test_many_ranks_share_rows() -> None:
    def program():
        comm = MPI.COMM_WORLD
        comm.Sendrecv(np.zeros(8), (comm.rank + 1) % comm.size, recvbuf=np.zeros(8))

    matrix = _use_of(program, np=600).matrix
    assert (matrix.ranks, matrix.ranks_per_row, matrix.bytes.shape) == (600, 2, (300, 300))
    assert (np.diag(matrix.messages) == 1).all()
    assert matrix.messages.sum() == 600


def test_models_without_links() -> None:
    use = _use_of(incast, cfg={"smpi/simulate-computation": False, "network/model": "Constant"})
    assert (list(use.links), use.bottlenecks()) == ([], [])
    assert use.matrix.messages.sum() == 3


def test_files_of_a_report(pysmpirun, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    source = """
        import numpy as np
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            MPI.Request.Waitall([comm.Irecv(np.zeros(10**6), i) for i in (1, 2)])
        else:
            comm.Send(np.zeros(10**6), 0)
    """
    hosts = tmp_path / "hosts"
    hosts.write_text("node0\nnode1\nnode2\n")
    run = pysmpirun("-np", "3", "--hostfile", str(hosts), "--network-report=net/work", "program.py", source=source)
    assert run.returncode == 0, run.stderr
    assert "network: links that were saturated longest:" in run.stderr
    assert "c_link_0_DOWN" in run.stderr
    folder = tmp_path / "net" / "work"
    with (folder / "links.csv").open() as file:
        rows = {row["link"]: row for row in csv.DictReader(file)}
    assert float(rows["c_link_0_DOWN"]["saturated"]) > 0
    with (folder / "matrix.csv").open() as file:
        assert {(row["sender"], row["receiver"]) for row in csv.DictReader(file)} == {("1", "0"), ("2", "0")}
    assert (folder / "matrix.png").read_bytes().startswith(b"\x89PNG")
    for name in ("congestion.svg", "utilisation.svg"):
        assert "<svg" in (folder / name).read_text()
    assert not list(folder.glob("*.part"))


def test_a_report_that_cannot_be_written(pysmpirun, tmp_path: pathlib.Path) -> None:
    (tmp_path / "taken").write_text("")
    run = pysmpirun("-np", "1", "--network-report=taken/net", "program.py", source="pass")
    assert run.returncode == 2
    assert "taken/net: cannot write the network report: Not a directory" in run.stderr
