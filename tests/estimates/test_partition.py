"""Cuts by partitioners, where they are installed."""

import importlib.util
from pathlib import Path

import pytest

from pysmpi.estimates import EstimateError, estimate
from pysmpi.util.shipped import shipped

PROGRAMS = shipped("apps") / "sequential"
INSTALLED = all(importlib.util.find_spec(name) for name in ("mtkahypar", "pymetis"))

RANDOM_ORDER = """\
import numpy as np
side = 32
n = side**2
order = np.random.default_rng(7).permutation(n).tolist()
place = [0] * n
for k, point in enumerate(order):
    place[point] = k
rows = []
for point in order:
    i, j = divmod(point, side)
    near = [(i, j), (i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
    rows.append([place[a * side + b] for a, b in near if 0 <= a < side and 0 <= b < side])
cols = np.array(sum(rows, []))
start = np.cumsum([0] + [len(row) for row in rows])[:-1]
data, x = np.ones(len(cols)), np.ones(n)
for _ in range(3):
    y = np.add.reduceat(data * x[cols], start)
    x = y / n
"""


@pytest.mark.skipif(not INSTALLED, reason="the partitioners of pysmpi[estimate] are not installed")
def test_random_order_of_rows(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(RANDOM_ORDER)
    row = estimate(program, nodes=[16]).rows[0]
    assert row.least.step is not None and row.least.step <= 400
    assert row.least.by in {"km1", "vol"}
    assert row.usual.by == "blocks" and row.usual.words > 5 * row.least.words


@pytest.mark.skipif(not INSTALLED, reason="the partitioners of pysmpi[estimate] are not installed")
def test_popular_values_that_read_others(tmp_path: Path) -> None:
    """All elements of a vector read its norm, which is computed from all of them."""
    program = tmp_path / "program.py"
    program.write_text(
        """
import numpy as np
n = 128
a = np.random.default_rng(0).random((n, n))
x = np.ones(n)
for _ in range(5):
    y = a @ x
    x = y / np.linalg.norm(y)
"""
    )
    row = estimate(program, nodes=[16]).rows[0]
    assert row.usual.step == 2 * 3 * 128 + 2 * 15
    assert row.least.words <= row.usual.words


@pytest.mark.skipif(not INSTALLED, reason="the partitioners of pysmpi[estimate] are not installed")
def test_seeds(tmp_path: Path) -> None:
    """Another seed gives another cut with nearly as many words; the same seed gives the same one."""
    program = tmp_path / "program.py"
    program.write_text(RANDOM_ORDER)
    first, second, again = (estimate(program, nodes=[16], seed=seed).rows[0] for seed in (0, 3, 3))
    assert second.least.words == pytest.approx(first.least.words, rel=0.05)
    assert second.to_json() == again.to_json()
    pairs = zip(first.candidates[1:], second.candidates[1:], strict=True)
    assert all((one.traffic.matrix() != other.traffic.matrix()).any() for one, other in pairs)


@pytest.mark.skipif(not INSTALLED, reason="the partitioners of pysmpi[estimate] are not installed")
@pytest.mark.parametrize("seed", [0, 5])
def test_partitions_that_send_more_are_left_out(seed: int) -> None:
    """METIS's cuts of conjugate gradients into 4 send 1.5 to 2.3 times as much as blocks, which differs by the seed."""
    row = estimate(PROGRAMS / "cg.py", [64, 3], nodes=[4], seed=seed).rows[0]
    assert all(each.figures.run <= row.usual.run for each in row.candidates)


@pytest.mark.skipif(not INSTALLED, reason="the partitioners of pysmpi[estimate] are not installed")
def test_cut_graph_chooses_among_partitions() -> None:
    row = estimate(PROGRAMS / "heat.py", [64, 2], nodes=[4], cut="graph").rows[0]
    assert row.best.by in {"km1", "vol"}
    assert row.best.words == min(each.figures.words for each in row.candidates[1:])


def test_least_is_at_most_usual() -> None:
    for program, arguments in (("heat", [32, 2]), ("product", [16]), ("spmv", [128, 3]), ("kmeans", [128, 4, 3, 2])):
        for row in estimate(PROGRAMS / f"{program}.py", arguments, nodes=[2, 4, 8]).rows:
            assert row.least.words <= row.usual.words


@pytest.mark.skipif(INSTALLED, reason="partitioners are installed")
def test_missing_partitioners_are_named() -> None:
    assert any("pysmpi[estimate]" in each for each in estimate(PROGRAMS / "heat.py", [16, 2], nodes=[2]).warnings)
    with pytest.raises(EstimateError, match="no partitioner is installed"):
        estimate(PROGRAMS / "heat.py", [16, 2], nodes=[2], cut="graph")


def test_unknown_cut() -> None:
    with pytest.raises(EstimateError, match="unknown cut 'grap'; did you mean 'graph'"):
        estimate(PROGRAMS / "heat.py", [16, 2], cut="grap")
