"""Efficiencies on simulated machines: skeletons, bounds, reasons."""

from pathlib import Path

import pytest

import pysmpi
from pysmpi.errors import LaunchError
from pysmpi.estimates import EstimateError, estimate
from pysmpi.estimates.efficiency import formula, link_bound
from pysmpi.estimates.skeleton import Phase, Tree, skeleton
from pysmpi.util.shipped import shipped

PROGRAMS = shipped("apps") / "sequential"
FAT_TREE = shipped("platforms") / "fattree_small.xml"


def test_formula_of_the_paper() -> None:
    """Heat and a dense sparse-format product on 64 nodes, 10 Gflop/s, 5 GB/s, overlap 0.57."""
    assert formula(10e9, 7_340_032 / (6 * 32768**2), 5e9, 0.57) == pytest.approx(0.99902, abs=5e-6)
    assert formula(10e9, 33_030_144 / (2 * 32768**2), 5e9, 0.57) == pytest.approx(0.98695, abs=5e-6)


def test_link_bound() -> None:
    assert link_bound(1e9, 4e9, 4, 2e9, 1e9) == 0.5
    assert link_bound(1e9, 4e9, 4, 0, 1e9) == 1.0


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("heat", [64, 2]), ("ghost", [16, 2]), ("product", [32]), ("spmv", [256, 3]), ("kmeans", [256, 4, 5, 3]),
        ("cg", [32, 3]), ("shallow", [32, 3]),
    ],
)  # fmt: skip
def test_simulated_efficiency_is_below_the_link_bound(program: str, arguments: list[int]) -> None:
    found = estimate(PROGRAMS / f"{program}.py", arguments, nodes=[2, 4, 16], platform=FAT_TREE, speed=1e8)
    for row in found.rows:
        low, high = row.efficiency["simulated"]
        assert 0 < low <= high <= row.efficiency["link"] * (1 + 1e-4)
        assert low < 1
        assert row.efficiency["depth"] == min(1.0, row.parallelism / row.nodes)
    for stop in found.stops():
        assert stop["why"] in {None, "volume", "latency", "contention", "imbalance", "parallelism", "serial"}


def test_skeleton_is_replayed_on_other_machines() -> None:
    row = estimate(PROGRAMS / "heat.py", [64, 2], nodes=[16]).at(16)
    quick = pysmpi.simulate_replay(row.skeleton, platform="torus:4,4").simulated_time
    slow = pysmpi.simulate_replay(row.skeleton, platform="torus:4,4", cfg=["smpi/lat-factor:0:10"]).simulated_time
    assert 0 < quick < slow


def test_latency_stops_small_programs() -> None:
    found = estimate(PROGRAMS / "heat.py", [32, 2], nodes=[2, 16], platform=FAT_TREE)
    assert found.stops()[0]["why"] == "latency"
    assert found.stops()[0]["place"] == "heat.py:13"


def test_slabs_are_quicker_for_small_arrays() -> None:
    """Two neighbours instead of four, with more words; the time decides."""
    row = estimate(PROGRAMS / "heat.py", [64, 2], nodes=[16], platform=FAT_TREE, cut="blocks").at(16)
    assert (row.usual.blocks["u"], row.best.by, row.best.neighbours) == ([4, 4], "slabs", 2)
    assert max(row.best.blocks["u"]) == 16
    assert row.best.words == 2 * 15 * 64
    assert row.best.words > row.usual.words == row.least.words


def test_serial_statement_is_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    program = tmp_path / "program.py"
    program.write_text("""\
import numpy as np
n = 64
u, w = np.zeros((n, n)), np.ones(12)
for _ in range(3):
    u += 1.5
    for k in range(100):
        w[0] = w[0] * 1.5 + np.exp(w[0] - w[0])
""")
    found = estimate(program, nodes=[16], platform=FAT_TREE, speed=1e6)
    assert found.stops()[1]["why"] == "serial"
    assert found.stops()[1]["place"] == "program.py:7"


def test_waiting_for_results_stops_a_wavefront(tmp_path: Path) -> None:
    """Messages are quick and parallelism is 16.25, but blocks of 16 nodes wait for those before them."""
    program = tmp_path / "program.py"
    program.write_text("""\
import numpy as np
n = 32
u = np.ones((n + 2, n + 2))
for _ in range(2):
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
""")
    found = estimate(program, nodes=[4, 16, 64], platform=FAT_TREE, speed=1e3, cut="blocks")
    assert [stop["why"] for stop in found.stops()] == ["parallelism", "parallelism"]
    for row in found.rows:
        assert row.efficiency["simulated"][1] <= row.efficiency["depth"]


@pytest.mark.parametrize("count", [2, 3, 5, 8])
@pytest.mark.parametrize("kind", ["broadcast", "reduce", "exchange"])
def test_trees_end(kind: str, count: int) -> None:
    import numpy as np

    nothing = np.zeros(0, int)
    tree = Tree(kind, list(range(count)), 100.0)
    phase = Phase(nothing, nothing, nothing, [tree], np.zeros(count))
    result = pysmpi.simulate_replay(skeleton([phase], count, 0.0, 2), platform=FAT_TREE)
    assert result.simulated_time > 0


def test_too_few_hosts() -> None:
    found = estimate(PROGRAMS / "heat.py", [64, 2], nodes=[2, 1024], platform="torus:2,2")
    assert found.rows[1].efficiency["simulated"] is None
    assert any("4 hosts, fewer than 1,024 nodes" in each for each in found.warnings)


def test_one_host() -> None:
    with pytest.raises(EstimateError, match="the platform has one host"):
        estimate(PROGRAMS / "heat.py", [64, 2], nodes=[1], platform="torus:1,1")


@pytest.mark.parametrize("platform", [FAT_TREE, shipped("platforms") / "two_clusters.xml", "torus:4,4"])
def test_skeleton_takes_the_time_of_the_real_exchange(platform) -> None:  # type: ignore[no-untyped-def]
    side, nodes = 64, 16

    def exchange() -> None:
        import numpy as np
        from mpi4py import MPI

        i, j = divmod(MPI.COMM_WORLD.rank, 4)
        rank = MPI.COMM_WORLD.rank
        near = [
            q for q, inside in ((rank - 4, i > 0), (rank - 1, j > 0), (rank + 1, j < 3), (rank + 4, i < 3)) if inside
        ]
        rims = [np.zeros(side // 4) for _ in range(8)]
        requests = [MPI.COMM_WORLD.Irecv(rims[k], q) for k, q in enumerate(near)]
        requests += [MPI.COMM_WORLD.Isend(rims[4 + k], q) for k, q in enumerate(near)]
        MPI.Request.Waitall(requests)

    row = estimate(PROGRAMS / "heat.py", [side, 2], blocks=[4, 4], cut="blocks").at(nodes)
    skeleton_time = pysmpi.simulate_replay(row.skeleton, platform=platform, hosts=None).simulated_time
    real = pysmpi.simulate(exchange, np=nodes, platform=platform, cfg=["smpi/simulate-computation:no"])
    assert skeleton_time == pytest.approx(real.simulated_time, rel=1e-9)


def test_picture(tmp_path) -> None:  # type: ignore[no-untyped-def]
    found = estimate(PROGRAMS / "heat.py", [32, 2], nodes=[2, 16], platform=FAT_TREE)
    found.plot(tmp_path / "heat.svg")
    assert (tmp_path / "heat.svg").read_text().startswith("<?xml")
    with pytest.raises(LaunchError, match="unknown format of a picture 'gif'"):
        found.plot(tmp_path / "heat.gif")


def test_points_of_a_real_program_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = estimate(PROGRAMS / "heat.py", [32, 2], nodes=[2, 4], speed=1e10, bandwidth=1e9, cut="blocks")
    found.plot(tmp_path / "without.svg")
    found.plot(tmp_path / "with.svg", {2: 0.9, 4: 0.8})
    assert (tmp_path / "with.svg").stat().st_size > (tmp_path / "without.svg").stat().st_size
