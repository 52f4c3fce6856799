"""Tests of collectives that ranks enter one after the other, each with one algorithm, against times of SMPI 3.32."""

import json
import pathlib
import re
from typing import Any

import pytest

import pysmpi

pytestmark = pytest.mark.smpi

HERE = pathlib.Path(__file__).parent
EVERY = 7  # of how many cases one runs with the other tests; all of them with `make parity`
CASES = [json.loads(line) for line in (HERE / "staggered" / "cases.jsonl").read_text().splitlines()]
PARAMETERS = [
    pytest.param(
        case,
        id="-".join(str(case[key]) for key in ("op", "algorithm", "platform", "np", "root", "size")),
        marks=[pytest.mark.parity] if index % EVERY else [],
    )
    for index, case in enumerate(CASES)
]


@pytest.mark.parametrize("case", PARAMETERS)
def test_staggered_times_equal_those_of_smpi(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    platform = HERE / "platforms" / f"{case['platform']}.xml"
    pysmpi.simulate(
        HERE / "staggered" / "staggered.py",
        np=case["np"],
        platform=platform,
        hosts=platform.with_suffix(".hosts"),
        cfg=["smpi/simulate-computation:no", f"smpi/{case['op']}:{case['algorithm']}"],
        args=[case["op"], case["root"], case["step"], case["size"]],
    )
    times = {int(rank): float(time) for rank, time in re.findall(r"^R (\d+) (\S+)$", capsys.readouterr().out, re.M)}
    assert [times[rank] for rank in range(case["np"])] == pytest.approx(case["times"], rel=1e-6)
