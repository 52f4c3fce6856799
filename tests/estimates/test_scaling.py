"""Figures of sizes that were not measured, against closed forms and the published inputs."""

from pathlib import Path

import pytest

from pysmpi.estimates import EstimateError, estimate
from pysmpi.util.shipped import shipped

PROGRAMS = shipped("apps") / "sequential"


@pytest.mark.parametrize(
    ("program", "arguments", "sizes", "at", "blocks", "words"),
    [
        ("heat", ["{n}", 2], [64, 128, 192], 32768, [8, 8], 917_504),
        ("heat", ["{n}", 2], [64, 128, 192], 32768, [64, 1], 4_128_768),
        ("heat", ["{n}", 2], [64, 96, 128], 32768, [4, 4], 393_216),
        ("ghost", ["{n}", 2], [8, 12, 16], 1024, [4, 2, 2], 10_485_760),
        ("ghost", ["{n}", 2], [12, 16, 24], 1024, [4, 4, 4], 18_874_368),
        ("product", ["{n}"], [24, 32, 48], 4096, [4, 4], 100_663_296),
        ("product", ["{n}"], [32, 48, 64], 4096, [8, 8], 234_881_024),
    ],
)
def test_published_inputs(
    program: str, arguments: list[object], sizes: list[int], at: int, blocks: list[int], words: int
) -> None:
    found = estimate(PROGRAMS / f"{program}.py", arguments, sizes={"n": sizes}, at={"n": at}, blocks=blocks)
    row = found.rows[-1]
    assert row.error == 0.0
    assert row.words == pytest.approx(words, rel=1e-9)
    assert row.to_json()["measured"] is False
    assert sum(each.words for each in row.statements) == pytest.approx(words, rel=1e-6)


def test_groups_of_kmeans() -> None:
    found = estimate(
        PROGRAMS / "kmeans.py", ["{n}", 8, 5, 3], sizes={"n": [384, 512, 768]}, at={"n": 10**7}, nodes=[16]
    )
    assert found.rows[-1].words == pytest.approx(15 * (2 * 8 * 5 + 5), rel=0.01)


@pytest.mark.parametrize("sizes", [[256, 384, 512, 768], [512, 768, 1024], [1024, 1536, 2048]])
def test_groups_that_are_not_on_each_node(sizes: list[int]) -> None:
    """With 4 to 12 objects a node, not each node has a part of each group; with ten million, each has."""
    found = estimate(PROGRAMS / "kmeans.py", ["{n}", 4, 5, 2], sizes={"n": sizes}, at={"n": 10**7}, blocks=[64])
    row = found.rows[-1]
    assert row.words == pytest.approx(63 * (2 * 4 * 5 + 5), rel=1e-9)
    assert row.error is not None
    assert row.error >= 1 - found.rows[-2].words / row.words - 1e-9


def test_rim_inside_the_array(tmp_path: Path) -> None:
    program = tmp_path / "rim.py"
    program.write_text(
        """
import sys
import numpy as np

n = int(sys.argv[1])
u = np.zeros((n, n))
u[0] = 1.0
for _ in range(3):
    u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
"""
    )
    found = estimate(program, ["{n}"], sizes={"n": [34, 50, 66, 82]}, at={"n": 8194}, blocks=[4, 4])
    assert found.rows[-1].usual.step == pytest.approx(12 * 8192, rel=1e-9)
    assert found.rows[-1].error == 0.0


def test_program_that_only_moves(tmp_path: Path) -> None:
    program = tmp_path / "moves.py"
    program.write_text("import sys\nimport numpy as np\na = np.ones((int(sys.argv[1]), 8))\nb = np.sort(a.T.copy())\n")
    found = estimate(program, ["{n}"], sizes={"n": [16, 24, 32]}, at={"n": 64}, nodes=[2])
    assert found.rows


def test_blocks_are_those_of_the_large_size() -> None:
    """With 384 to 768 objects, dividing the features sends less; with ten million, a thousand times as much."""
    found = estimate(
        PROGRAMS / "kmeans.py",
        ["{n}", 8, 5, 3],
        sizes={"n": [384, 512, 768]},
        at={"n": 10**7},
        nodes=[64],
        cut="blocks",
    )
    assert found.rows[-2].size == {"n": 768}
    assert found.rows[-2].usual.blocks["points"] != [64, 1]
    assert found.rows[-1].usual.blocks["points"] == [64, 1]
    assert found.rows[-1].usual.run < 10 * 3 * 63 * (2 * 8 * 5 + 5)


def test_small_parts_are_left_out() -> None:
    found = estimate(PROGRAMS / "heat.py", ["{n}", 2], sizes={"n": [16, 32]}, at={"n": 512}, nodes=[64])
    assert [row.error for row in found.rows] == [None, None]
    assert any("not extrapolated; at least two measured sizes" in each for each in found.warnings)
    assert any(each.endswith("(found: 1)") for each in found.warnings)
    assert any("n=16: 64 nodes with 4 elements each" in each for each in found.warnings)


@pytest.mark.parametrize(
    ("sizes", "at", "message"),
    [
        ({"n": [16]}, {"n": 64}, "no parameter varies"),
        ({"n": [16, 32]}, {"m": 64}, "--size has no 'm'"),
        ({"n": [16, 32], "m": [1, 2]}, {"n": 64}, "n, m vary"),
        ({"n": [16, 32], "m": [2]}, {"m": 64}, "no value for 'n'"),
    ],
)
def test_wrong_sizes(sizes: dict[str, list[int]], at: dict[str, int], message: str, tmp_path: Path) -> None:
    with pytest.raises(EstimateError, match=message):
        estimate(tmp_path / "program.py", [f"{{{name}}}" for name in sizes], sizes=sizes, at=at)


def test_slabs_are_those_of_the_large_size() -> None:
    """Slabs divide the particles, and usual blocks the pairs of particles."""
    found = estimate(
        PROGRAMS / "nbody.py",
        ["{n}", 2],
        sizes={"n": [32, 64]},
        at={"n": 2048},
        nodes=[32],
        platform="torus:4,4,4",
        cut="blocks",
    )
    assert [row.candidates[1].figures.by for row in found.rows] == ["slabs"] * 3
    assert [row.candidates[1].figures.words for row in found.rows] == pytest.approx(
        [31 * 3 * n for n in (32, 64, 2048)], rel=1e-6
    )
    assert found.rows[-1].usual.words < 31 * 3 * 2048
