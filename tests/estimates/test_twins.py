"""Estimates against real programs: the programs of apps/parallel send the estimated bytes, in the estimated time."""

import pathlib

import numpy as np
import pytest

import pysmpi
from pysmpi.estimates import Row, estimate
from pysmpi.util.shipped import shipped

APPS = shipped("apps")
CLUSTER = shipped("platforms") / "cluster.xml"
PLATFORMS = [
    shipped("platforms") / "fattree_small.xml",
    shipped("platforms") / "two_clusters.xml",
    "torus:4,4,4",
]
FREE = {"smpi/simulate-computation": "no"}


def sent(program: str, ranks: int, *arguments: int, folder: str = "parallel") -> np.ndarray:
    """Return the bytes that each rank of a real program sends to each other rank."""
    result = pysmpi.simulate(
        APPS / folder / f"{program}.py", np=ranks, platform=f"flat:{ranks}", args=arguments, cfg=FREE,
        network_report=True,
    )  # fmt: skip
    found: np.ndarray = result.network.matrix.bytes
    return found


def row_of(program: str, arguments: list[int], blocks: list[int]) -> Row:
    return estimate(APPS / "sequential" / f"{program}.py", arguments, blocks=blocks, cut="blocks").rows[0]


@pytest.mark.parametrize(
    ("program", "side", "blocks"),
    [
        ("heat", 128, [4, 4]),
        ("heat", 130, [8, 8]),
        ("heat", 61, [4, 3]),
        ("ghost", 32, [4, 4, 4]),
        ("ghost", 13, [3, 2, 2]),
        ("spmv", 1024, [16]),
        ("spmv", 37, [8]),
        ("shallow", 64, [4, 4]),
        ("shallow", 30, [4, 3]),
    ],
)
def test_bytes_of_each_pair(program: str, side: int, blocks: list[int]) -> None:
    ranks = int(np.prod(blocks))
    real = sent(program, ranks, side, 3) - sent(program, ranks, side, 2)  # without the end of the program
    assert np.array_equal(real, 8 * row_of(program, [side, 3], blocks).matrix())


@pytest.mark.parametrize("program", ["heat", "ghost"])
def test_bytes_of_the_run(program: str) -> None:
    row = row_of(program, [24, 2], [2, 2] if program == "heat" else [2, 2, 2])
    assert sent(program, row.nodes, 24, 2).sum() == 8 * row.usual.run


@pytest.mark.parametrize(("small", "large", "side"), [(32, 64, 8), (20, 40, 4)])
def test_bytes_of_each_rank_of_a_product(small: int, large: int, side: int) -> None:
    """The difference between two orders is free of the program's collectives."""
    ranks = side * side
    real = sent("matmul", ranks, large, folder="matmul") - sent("matmul", ranks, small, folder="matmul")
    found = 8 * (row_of("product", [large], [side, side]).matrix() - row_of("product", [small], [side, side]).matrix())
    assert np.array_equal(real.sum(axis=0), found.sum(axis=0))
    assert np.array_equal(real.sum(axis=1), found.sum(axis=1))


def test_bytes_of_reductions_and_broadcasts() -> None:
    real = sent("kmeans", 16, 512, 4, 5, 3) - sent("kmeans", 16, 512, 4, 5, 2)
    assert real.sum() == 8 * row_of("kmeans", [512, 4, 5, 3], [16]).usual.words


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("heat", (40, 3)), ("ghost", (16, 2)), ("spmv", (100, 4)), ("kmeans", (90, 4, 5, 3)), ("cg", (30, 4)),
        ("shallow", (24, 3)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ranks", [1, 12])
def test_programs_print_the_same(
    program: str, arguments: tuple[int, ...], ranks: int, capsys: pytest.CaptureFixture[str]
) -> None:
    pysmpi.simulate(APPS / "sequential" / f"{program}.py", np=1, platform="flat:1", args=arguments, cfg=FREE)
    expected = capsys.readouterr().out
    pysmpi.simulate(
        APPS / "parallel" / f"{program}.py", np=ranks, platform=f"flat:{ranks}", args=arguments, cfg=FREE
    )  # fmt: skip
    assert capsys.readouterr().out == expected


@pytest.fixture(scope="module")
def heat() -> dict[int, Row]:
    """Rows by size, of a measured one and of two that are extrapolated."""
    found = {}
    for side in (256, 1000, 4096):
        measured = {"n": [128, 192, 256]} if side > 256 else {"n": [256]}
        at = {"n": side} if side > 256 else None
        found[side] = estimate(
            APPS / "sequential" / "heat.py", ["{n}", 2], sizes=measured, at=at, blocks=[8, 8], cut="blocks"
        ).at(64)
    return found


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("side", [256, 1000, 4096])
def test_time_of_the_exchange(platform: str | pathlib.Path, side: int, heat: dict[int, Row]) -> None:
    row = heat[side]
    for steps, schedules in ((1, row.skeleton), (7, row.steps(7))):
        real = pysmpi.simulate(APPS / "parallel" / "heat.py", np=64, platform=platform, args=(side, steps), cfg=FREE)
        found = pysmpi.simulate_replay(schedules, platform=platform)
        assert found.simulated_time == pytest.approx(real.simulated_time, rel=1e-9)


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("side", [25, 32])
def test_time_of_the_exchange_in_three_dimensions(platform: str | pathlib.Path, side: int) -> None:
    """Three neighbours need each corner of a block; it travels with the faces, as in the real program."""
    row = row_of("ghost", [side, 2], [4, 4, 4])
    real = pysmpi.simulate(APPS / "parallel" / "ghost.py", np=64, platform=platform, args=(side, 5), cfg=FREE)
    found = pysmpi.simulate_replay(row.steps(5), platform=platform)
    assert found.simulated_time == pytest.approx(real.simulated_time, rel=1e-9)


@pytest.mark.parametrize("ranks_per_host", [2, 4])
@pytest.mark.parametrize("side", [256, 4096])
def test_time_with_several_ranks_on_a_host(ranks_per_host: int, side: int, heat: dict[int, Row]) -> None:
    hosts = [f"node-{rank // ranks_per_host}" for rank in range(64)]
    real = pysmpi.simulate(
        APPS / "parallel" / "heat.py", np=64, platform=CLUSTER, hosts=hosts, args=(side, 1), cfg=FREE
    )
    found = pysmpi.simulate_replay(heat[side].skeleton, platform=CLUSTER, hosts=hosts)
    assert found.simulated_time == pytest.approx(real.simulated_time, rel=1e-9)


@pytest.mark.smpi
def test_particles_send_their_positions_to_all() -> None:
    """Each node sends its 3 n / p coordinates to all others, unless pairs of particles are divided."""
    row = row_of("nbody", [16, 2], [4, 1])
    assert row.usual.step == 3 * 3 * 16
    real = sent("nbody", 4, 16, 3) - sent("nbody", 4, 16, 2)
    assert real.sum() == 8 * row.usual.step
