"""Simulated times of one-sided communication equal SMPI's to 1e-6; README.md describes how these were measured."""

import json
import pathlib
import re
from typing import Any

import pytest

import pysmpi

pytestmark = pytest.mark.smpi

HERE = pathlib.Path(__file__).parent
PLATFORMS = HERE.parent / "parity" / "platforms"
CASES = [json.loads(line) for line in (HERE / "smpi.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['pattern']}-{c['platform']}{'-costs' if c['cfg'] else ''}")
def test_times_equal_those_of_smpi(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    platform = PLATFORMS / f"{case['platform']}.xml"
    pysmpi.simulate(
        HERE / "pattern.py",
        np=case["np"],
        platform=platform,
        hosts=platform.with_suffix(".hosts"),
        cfg=["smpi/simulate-computation:no", *case["cfg"]],
        args=[case["pattern"], case["bytes"], case["rounds"]],
    )
    times = {int(rank): float(time) for rank, time in re.findall(r"^R (\d+) (\S+)$", capsys.readouterr().out, re.M)}
    assert [times[rank] for rank in range(case["np"])] == pytest.approx(case["times"], rel=1e-6)
