"""Figures of sizes that were not measured, against closed forms and the published inputs."""

import math
from pathlib import Path

import pytest

from pysmpi.estimates import EstimateError, estimate
from pysmpi.estimates.scaling import fit_growth
from pysmpi.util.shipped import shipped

PROGRAMS = shipped("apps") / "sequential"


@pytest.mark.parametrize(
    "function",
    [
        lambda n: 6 * n,
        lambda n: 3 * n**2 + 7,
        lambda n: 5 * math.sqrt(n),
        lambda n: n * math.log2(n),
        lambda n: 42,
        lambda n: 0,
    ],
)
def test_exact_functions_are_found(function) -> None:  # type: ignore[no-untyped-def]
    sizes = [64, 128, 192, 256]
    found = fit_growth(sizes, [function(n) for n in sizes])
    assert found.value(32768) == pytest.approx(function(32768), rel=1e-9)
    assert found.error == 0.0


def test_error_of_measurements_without_a_function() -> None:
    assert fit_growth([1, 2, 3, 4], [1.0, 90.0, 2.0, 70.0]).error > 0.25


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
    assert any("not foretold, since 1 measured size gives" in each for each in found.warnings)
    assert any("n=16: 64 nodes have 4 elements each" in each for each in found.warnings)


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
