"""Tests of random programs that mix polls, splits, one-sided communication, receives from any source and collectives,
against times of SMPI 3.32."""

import importlib.util
import json
import pathlib
import re
from types import ModuleType

import pytest

import pysmpi

HERE = pathlib.Path(__file__).parent / "mixed"
EVERY = 25  # of how many cases one runs with the other tests; all of them with `make parity`
CONTENDED = {15, 59, 265}  # always run: ranks wait for each other's mutexes in one instant
CASES = [json.loads(line) for line in (HERE / "cases.jsonl").read_text().splitlines()]
# Seeds whose times differ from SMPI's, with the reason in README.md.
KNOWN = json.loads((HERE / "known.json").read_text())
PARAMETERS = [
    pytest.param(
        case["seed"],
        case["times"],
        id=str(case["seed"]),
        marks=[
            *([pytest.mark.parity] if index % EVERY and case["seed"] not in CONTENDED else []),
            *([pytest.mark.xfail(reason="see README.md")] if case["seed"] in KNOWN else []),
        ],
    )
    for index, case in enumerate(CASES)
]


def _load_programs() -> ModuleType:
    specification = importlib.util.spec_from_file_location("mixed_programs", HERE / "programs.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


programs = _load_programs()


@pytest.mark.parametrize(("seed", "times"), PARAMETERS)
def test_mixed_programs_take_as_long_as_under_smpi(
    seed: int, times: list[list[float]], tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = programs.make_case(seed)
    (tmp_path / "platform.xml").write_text(case.platform)
    (tmp_path / "hosts").write_text("\n".join(case.hosts) + "\n")
    (tmp_path / "program").write_text(case.program)
    pysmpi.simulate(
        HERE / "mixed.py",
        np=case.np,
        platform=tmp_path / "platform.xml",
        hostfile=tmp_path / "hosts",
        cfg=["smpi/simulate-computation:no", "smpi/grow-injected-times:yes", *case.cfg],
        args=[str(tmp_path / "program")],
    )
    rows = re.findall(r"^R (\d+) (.*)$", capsys.readouterr().out, re.M)
    found = {int(rank): [float(time) for time in rest.split()] for rank, rest in rows}
    for rank, expected in enumerate(times):
        assert found[rank] == pytest.approx(expected, rel=1e-6)
