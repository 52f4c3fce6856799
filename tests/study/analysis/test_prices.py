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
        (PriceList({"node": "speed.real"}, {}, frozenset({"platform.bandwidth"})), "is not valid; use numbers"),
        (PriceList({"node": "-speed"}, {}, frozenset({"platform.bandwidth"})), "not a price"),
        (PriceList({"node": "speed / 0"}, {}, frozenset({"platform.bandwidth"})), "division by zero"),
    ],
)
def test_errors(tmp_path: Path, given: PriceList, problem: str) -> None:
    with pytest.raises(StudyError, match=problem):
        prices(tmp_path, given)
    assert prices(tmp_path, PriceList({"node": 1}, {}, frozenset(FACTORS))) == [4.0] * 4
