"""Tests of random programs against times of SMPI 3.32.

Some mix polls, splits, one-sided communication, receives from any source and collectives; others have one-sided
communication and nonblocking collectives.
"""

import importlib.util
import json
import pathlib
import re
from types import ModuleType
from typing import Any

import pytest

import pysmpi

pytestmark = pytest.mark.smpi

HERE = pathlib.Path(__file__).parent / "mixed"
EVERY = 25  # of how many cases one runs with the other tests; all of them with `make parity`
CONTENDED = {15, 59, 265}  # always run: ranks wait for each other's mutexes in one instant
CONTENDED_WINDOWS = {9, 37, 150}  # always run: requests under locks; overheads of receives


def _parameters(cases: str, known: str, always: set[int]) -> list[Any]:
    """Return a parameter for each recorded program. The seeds in the file `known` differ, as README.md explains."""
    differ = json.loads((HERE / known).read_text())
    return [
        pytest.param(
            case["seed"],
            case["times"],
            id=str(case["seed"]),
            marks=[
                *([pytest.mark.parity] if index % EVERY and case["seed"] not in always else []),
                *([pytest.mark.xfail(reason="see README.md")] if case["seed"] in differ else []),
            ],
        )
        for index, case in enumerate(json.loads(line) for line in (HERE / cases).read_text().splitlines())
    ]


def _load_programs() -> ModuleType:
    specification = importlib.util.spec_from_file_location("mixed_programs", HERE / "programs.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


programs = _load_programs()


def _measure(case: Any, folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> list[list[float]]:
    """Return the clock of each rank after each step of a program."""
    (folder / "platform.xml").write_text(case.platform)
    (folder / "hosts").write_text("\n".join(case.hosts) + "\n")
    (folder / "program").write_text(case.program)
    pysmpi.simulate(
        HERE / "mixed.py",
        np=case.np,
        platform=folder / "platform.xml",
        hosts=folder / "hosts",
        cfg=["smpi/simulate-computation:no", "smpi/grow-injected-times:yes", *case.cfg],
        args=[str(folder / "program")],
    )
    rows = re.findall(r"^R (\d+) (.*)$", capsys.readouterr().out, re.M)
    found = {int(rank): [float(time) for time in rest.split()] for rank, rest in rows}
    return [found[rank] for rank in range(case.np)]


@pytest.mark.parametrize(("seed", "times"), _parameters("cases.jsonl", "known.json", CONTENDED))
def test_mixed_programs_take_as_long_as_under_smpi(
    seed: int, times: list[list[float]], tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for found, expected in zip(_measure(programs.make_case(seed), tmp_path, capsys), times, strict=True):
        assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("seed", "times"), _parameters("one_sided.jsonl", "one_sided_known.json", CONTENDED_WINDOWS))
def test_one_sided_programs_take_as_long_as_under_smpi(
    seed: int, times: list[list[float]], tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for found, expected in zip(_measure(programs.make_one_sided_case(seed), tmp_path, capsys), times, strict=True):
        assert found == pytest.approx(expected, rel=1e-6)
