"""Tests of probed messages, eager ones included, against times of SMPI 3.32."""

import json
import pathlib
import re
from typing import Any

import pytest

import pysmpi

pytestmark = pytest.mark.smpi

HERE = pathlib.Path(__file__).parent
CASES = [json.loads(line) for line in (HERE / "probes" / "cases.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(str(value) for value in list(case.values())[:-1]))
def test_probes_take_as_long_as_under_smpi(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    platform = HERE / "platforms" / f"{case['platform']}.xml"
    pysmpi.simulate(
        HERE / "probes" / "probes.py",
        np=case["np"],
        platform=platform,
        hosts=platform.with_suffix(".hosts"),
        cfg=["smpi/simulate-computation:no", f"smpi/async-small-thresh:{case['threshold']}"],
        args=[case["pattern"], case["size"]],
    )
    times = {int(rank): float(time) for rank, time in re.findall(r"^R (\d+) (\S+)$", capsys.readouterr().out, re.M)}
    assert [times[rank] for rank in range(case["np"])] == pytest.approx(case["times"], rel=1e-6)
