"""Prices of machines by values of factors and by formulas."""

from pathlib import Path
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import StudyError
from pysmpi.study.analysis import PriceList, prices_of

FACTORS = {"platform.bandwidth": ["100Gbps", "400Gbps"], "platform.speed": ["1Gf", "2Gf"]}


def prices(folder: Path, prices: PriceList, factors: Any = FACTORS, platform: str = "") -> list[float]:
    """Return the price of each machine of a study with four hosts."""
    (folder / "program.py").touch()
    platform = platform or "flat:4:bw={{bandwidth}}:speed={{speed}}"
    study = pysmpi.Study(program="program.py", platform=platform, fixed={"ranks": 1}, factors=factors, folder=folder)
    return prices_of(study.plan(), study.platform_text, study.varied(), prices)


BY_VALUE = {"platform.bandwidth": {"100Gbps": 10, "400Gbps": 30}, "platform.speed": {"1Gf": 1000, "2Gf": 1500}}


def test_prices_by_value_are_those_of_cables_and_nodes(tmp_path: Path) -> None:
    found = prices(tmp_path, PriceList({"switch": 7}, BY_VALUE))
    assert found == [4047.0, 6047.0, 4127.0, 6127.0]


def test_formulas_of_the_factors(tmp_path: Path) -> None:
    formulas = {"node": "500 + max(0, 500 * speed / 1e9)", "link": "2 * bandwidth / 1e9 ** 1", "machine": 3}
    assert prices(tmp_path, PriceList(formulas)) == [4103.0, 6103.0, 4403.0, 6403.0]


def test_a_factor_that_changes_the_number_of_parts_needs_no_price(tmp_path: Path) -> None:
    found = prices(tmp_path, PriceList({"node": 5}), {"platform.nodes": [4, 8]}, "flat:{{nodes}}")
    assert found == [20.0, 40.0]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (PriceList({"node": 1}), "platform.bandwidth changes the machine but has no price"),
        (PriceList({"node": 1}, {"platform.bandwidth": BY_VALUE["platform.bandwidth"]}), "platform.speed changes"),
        (PriceList({}, {**BY_VALUE, "platform.speed": {"1Gf": 1}}), r"platform.speed = 2Gf has no price \(known: 1Gf"),
        (PriceList({}, {"platform.sped": {"1Gf": 1}}), "did you mean 'platform.speed'"),
        (PriceList({"nod": 1}), "did you mean 'node'"),
        (PriceList({"node": "speed * bandwith"}, {}, frozenset({"platform.bandwidth"})), "did you mean 'bandwidth'"),
        (PriceList({"node": "speed.real"}, {}, frozenset({"platform.bandwidth"})), "unknown factor 'speed.real'"),
        (PriceList({"node": "-speed"}, {}, frozenset({"platform.bandwidth"})), "not a price"),
        (PriceList({"node": "speed / 0"}, {}, frozenset({"platform.bandwidth"})), "division by zero"),
    ],
)
def test_errors(tmp_path: Path, given: PriceList, problem: str) -> None:
    with pytest.raises(StudyError, match=problem):
        prices(tmp_path, given)
    assert prices(tmp_path, PriceList({"node": 1}, {}, frozenset(FACTORS))) == [4.0] * 4


def test_derived_parameters_may_follow_the_factor(tmp_path: Path) -> None:
    """The reproduction: ranks derived from a factor made all points differ in two parameters."""
    (tmp_path / "program.py").touch()
    study = pysmpi.Study(
        program="program.py", platform="fattree:2/4,{{leaves}}/1,2/1,1", factors={"platform.leaves": [2, 4]},
        derived={"ranks": "4 * platform.leaves"}, folder=tmp_path,
    )  # fmt: skip
    given = (study.plan(), study.platform_text, study.varied())
    assert prices_of(*given, PriceList({"node": 1}), study.flat_derived) == [8.0, 16.0]
    assert prices_of(*given, PriceList({"node": "ranks"}), study.flat_derived) == [64.0, 256.0]
    by_ranks = PriceList({"node": 1}, {"ranks": {"8": 100, "16": 150}})
    assert prices_of(*given, by_ranks, study.flat_derived) == [108.0, 166.0]


@pytest.mark.parametrize("design", ["listed", "sampled"])
def test_factors_that_never_vary_alone(tmp_path: Path, design: str) -> None:
    """In such designs the machines of other values are counted: nodes change the parts, a speed needs a price."""
    (tmp_path / "program.py").touch()
    points = [{"platform.n": 4, "platform.speed": "1Gf"}, {"platform.n": 8, "platform.speed": "2Gf"}]
    factors = {"platform.n": {"low": 2, "high": 64}, "platform.speed": {"low": "1Gf", "high": "9Gf"}}
    study = pysmpi.Study(
        program="program.py", platform="fattree:1/{{n}}/{{last}}/1:speed={{speed}}", fixed={"ranks": 1}, design=design,
        derived={"platform.last": "1 + platform.n - platform.n"}, folder=tmp_path,
        **({"points": points} if design == "listed" else {"factors": factors, "samples": 4}),
    )  # fmt: skip
    given = (study.plan(), study.platform_text, study.varied())
    with pytest.raises(StudyError, match=r"platform\.speed changes the machine but has no price"):
        prices_of(*given, PriceList({"node": 5}), study.flat_derived)
    found = prices_of(*given, PriceList({"node": "5 * speed / 1e9"}), study.flat_derived)
    assert len(set(found)) == len(found)


def test_a_fabric_changes_the_cables(tmp_path: Path) -> None:
    factors = {"fabric": ["hdr", "ndr"]}
    with pytest.raises(StudyError, match="fabric changes the machine but has no price"):
        prices(tmp_path, PriceList({"node": 1}), factors, "flat:4")
    assert prices(tmp_path, PriceList({}, {"fabric": {"hdr": 10, "ndr": 20}}), factors, "flat:4") == [40.0, 80.0]
