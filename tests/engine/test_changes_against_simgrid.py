"""Programs on hosts and links that change, compared with SimGrid 3.32's SMPI (smpirun's output is in `simgrid.jsonl`).

The file was created by `reference/make_cases.py` from `reference/steps.c`. It covers profiles of bandwidth, latency
and speed, single and repeated, pstates, and up to twelve ranks on hosts with one to three cores. In cases marked as
repaired, a link changes while a message over it pays its latency. SimGrid 3.32 forgets such messages; these cases
come from a repaired library.
"""

import json
import pathlib

import pytest
from steps import run_steps

import pysmpi

pytestmark = pytest.mark.smpi

CASES = [json.loads(line) for line in (pathlib.Path(__file__).parent / "simgrid.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['family']}" for i, case in enumerate(CASES)])
def test_times_equal_smpis(case: dict, tmp_path: pathlib.Path) -> None:
    platform = tmp_path / "platform.xml"
    platform.write_text(case["platform"])
    for name, text in case["files"].items():
        (tmp_path / name).write_text(text)
    result = pysmpi.simulate(
        run_steps,
        args=[case["steps"]],
        np=len(case["hosts"]),
        platform=platform,
        hosts=case["hosts"],
        cfg={"smpi/simulate-computation": "no"},
    )
    for ours, theirs in zip(result.values, case["times"], strict=True):
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-12)
