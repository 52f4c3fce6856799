"""Simulated times of every rank against SMPI 3.32's, to 1e-6: `*.jsonl`, whose README tells how they were made.

A part of the cases runs with the other tests, all of them with `make parity`.
"""

import json
import pathlib
import re
from typing import Any

import pytest

import pysmpi

pytestmark = pytest.mark.smpi

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-6
EVERY = 23  # of how many cases one runs with the other tests; no common factor with the periods of the cases' options
CASES = [json.loads(line) for path in sorted(HERE.glob("*.jsonl")) for line in path.read_text().splitlines()]
BY_ID = {case["id"]: case for case in CASES}
FULL = [json.loads(line) for line in (HERE / "full" / "cases.jsonl").read_text().splitlines()]


def _parameters(cases: list[dict[str, Any]]) -> list[Any]:
    return [
        pytest.param(
            case,
            id=f"{case['group']}-{case['op']}-{case['platform']}-{case['id']}",
            marks=[pytest.mark.parity] if index % EVERY else [],
        )
        for index, case in enumerate(cases)
    ]


def _times(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> list[float]:
    platform = HERE / "platforms" / f"{case['platform']}.xml"
    pysmpi.simulate(
        HERE / "pattern.py",
        np=case["np"],
        platform=platform,
        hosts=platform.with_suffix(".hosts"),
        cfg=["smpi/simulate-computation:no", *case["cfg"]],
        args=[case["op"], case["size"], case["iters"], case["seed"]],
    )
    times = {int(rank): float(time) for rank, time in re.findall(r"^R (\d+) (\S+)$", capsys.readouterr().out, re.M)}
    return [times[rank] for rank in range(case["np"])]


@pytest.mark.parametrize("case", _parameters(CASES))
def test_times_equal_those_of_smpi(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert _times(case, capsys) == pytest.approx(case["times"], rel=TOLERANCE, abs=TOLERANCE * 1e-9)


@pytest.mark.parametrize("case", _parameters([BY_ID[case["id"]] | case for case in FULL]))
def test_exact_times_equal_those_of_smpis_full(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """SMPI's Full decides within precision/timing which flows have ended, so both run with a low one."""
    cfg = ["network/optim:Full", "precision/timing:1e-12", *case["cfg"]]
    assert _times(case | {"cfg": cfg}, capsys) == pytest.approx(case["times"], rel=1e-8, abs=1e-17)
