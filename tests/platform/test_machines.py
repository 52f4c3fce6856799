"""Real machines in platforms/machines against the published figures of their sources."""

import pathlib
from typing import NamedTuple

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import catalogue, read
from pysmpi.platform.fabrics import FABRICS

ROOT = pathlib.Path(__file__).parents[2]
FILES = {file.stem: file for file in sorted((ROOT / "platforms" / "machines").glob("*.xml"))}


class Published(NamedTuple):
    """Figures of a machine's source.

    Attributes:
        nodes: number of nodes.
        cores: number of cores of a node.
        peak: peak of the whole machine in flop/s, or None if only a clock is published.
        tolerance: largest relative difference between the file's peak and `peak`.
        apart: largest relative difference between the file's number of nodes and `nodes`.
    """

    nodes: int
    cores: int
    peak: float | None = None
    tolerance: float = 0.005
    apart: float = 0.0


PUBLISHED = {
    "alaska": Published(16, 32),
    "anvil": Published(
        1000, 128, 5.3e15, tolerance=0.04, apart=0.02
    ),  # 17 full leaf switches; the peak includes GPU nodes
    "aws-c5": Published(32, 36),
    "azure-hbv4": Published(64, 176),
    "bridges2-em": Published(1, 96),
    "dahu": Published(32, 32, 32 * 32 * 29.7e9 / 0.9),  # dgemm's rate over the share that apps/hpl takes for it
    "fugaku": Published(158976, 48, 537e15),
    "graphene": Published(144, 4),
    "grisou": Published(51, 16),
    "leonardo-booster": Published(3456, 32, apart=0.02),  # full cells
    "lumi-c": Published(2048, 128),
    "lumi-g": Published(2978, 64, apart=0.04),  # 24 full groups
    "mahti": Published(1404, 128, 7.5e15),
    "marenostrum5": Published(6480, 112, 45.9e15, tolerance=0.015),  # the peak leaves out 72 nodes
    "marenostrum5-acc": Published(1120, 80),
    "niagara": Published(1500, 40, 4.61e15),
}


def test_every_machine_has_published_figures() -> None:
    assert FILES.keys() == PUBLISHED.keys()


@pytest.mark.parametrize("name", FILES)
def test_sizes_agree_with_the_source(name: str) -> None:
    published = PUBLISHED[name]
    entry = catalogue.describe(name, FILES[name])
    assert entry.hosts == pytest.approx(published.nodes, rel=published.apart)
    assert entry.cores == entry.hosts * published.cores
    if published.peak is not None:
        assert entry.speed == pytest.approx(published.peak, rel=published.tolerance)


@pytest.mark.parametrize("name", FILES)
def test_properties(name: str) -> None:
    hosts = read(FILES[name]).hosts
    given = hosts[0].properties
    assert given["fabric"] in FABRICS
    assert given["title"]
    assert given["cpu"]
    assert given["source"].startswith("https://")
    assert ", read 20" in given["source"]
    share = float(given["memory-bandwidth"]) * hosts[0].cores
    assert share == pytest.approx(float(given["host-memory-bandwidth"]), rel=1e-3)
    assert hosts[-1].properties == given


def exchange(size: int) -> float:
    """Return the mean time of a message from rank 0 to rank 1, after a collective of all ranks."""
    world = MPI.COMM_WORLD
    assert world.allreduce(world.rank) == sum(range(world.size))
    data = bytearray(size)
    world.Barrier()
    start = MPI.Wtime()
    for _ in range(5):
        if world.rank == 0:
            world.Send(data, 1)
            world.Recv(data, 1)
        elif world.rank == 1:
            world.Recv(data, 0)
            world.Send(data, 0)
    return (MPI.Wtime() - start) / 10


def run_on(name: str, size: int) -> float:
    """Return the mean time of a message between neighbours, in a run of four ranks spread over the machine."""
    hosts = read(FILES[name]).hosts
    count = len(hosts)
    chosen = [hosts[index].name for index in (0, 1 % count, count // 2, count - 1)]
    settings = {"smpi/simulate-computation": "no", "smpi/wtime": "0"}
    result = pysmpi.simulate(
        exchange, args=(size,), np=4, platform=str(FILES[name]), hosts=chosen, cfg=settings, smpi=False
    )
    seconds: float = result.values[0]
    return seconds


@pytest.mark.parametrize("name", FILES)
def test_a_simulation(name: str) -> None:
    assert 1e-7 < run_on(name, 8) < 3e-5
    assert 60e6 < 1_000_000 / run_on(name, 1_000_000) < 50e9  # bytes/s: from gigabit Ethernet to InfiniBand NDR


@pytest.mark.parametrize(
    ("name", "microseconds"),
    [("alaska", 1.38), ("dahu", 1.24), ("azure-hbv4", 1.34), ("lumi-c", 3.07), ("grisou", 22.52)],
)
def test_neighbours_have_the_fabrics_published_latency(name: str, microseconds: float) -> None:
    assert run_on(name, 8) * 1e6 == pytest.approx(microseconds, rel=0.03)


def test_the_page_has_the_files_figures() -> None:
    lines = (ROOT / "docs" / "machines.md").read_text().splitlines()
    rows = {line.split("|")[1].strip(" `"): line for line in lines if line.startswith("| `") and line.count("|") == 11}
    assert rows.keys() == FILES.keys()
    for name, row in rows.items():
        hosts = read(FILES[name]).hosts
        given = hosts[0].properties
        cells = [cell.strip() for cell in row.split("|")]
        assert cells[2:5] == [f"{len(hosts):,}", str(hosts[0].cores), given["cpu"]]
        assert given["fabric"] in cells[5]
        assert cells[7] == f"{float(given['host-memory-bandwidth']) / 1e9:.0f}"
        assert cells[8].split()[0] == given.get("watts", "-")
        assert cells[9] == given.get("price", "-")
