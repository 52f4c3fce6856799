"""Tests of the comparison of measured computation by the number of ranks."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

RUN = Path(__file__).resolve().parents[2] / "benchmarks" / "measured" / "run.py"


@pytest.fixture
def run(suite: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(RUN.parent))
    return suite("run")


@pytest.mark.parametrize("program", ["objects", "jacobi2d", "heat"])
def test_every_program_is_measured(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], program: str
) -> None:
    monkeypatch.setattr(run, "REAL_LONG", 5)
    monkeypatch.setattr(sys, "argv", ["run.py", "--ranks", "4", "--rounds", "1", program])
    assert run.main() in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and lines[1].startswith(program) and lines[2].startswith(f"{program}, 2 busy loops")


def test_verdicts(run: ModuleType) -> None:
    assert run.verdict(10.0, [10.0, 12.0]) == "kept: 1.20 apart, at most 1.20 times the real process"
    assert run.verdict(10.0, [10.0, 13.0]).startswith("MISSED: 1.30 apart")
    assert run.verdict(10.0, [15.5, 16.0]).startswith("MISSED: 1.03 apart, at most 1.60")


def test_an_unknown_program_is_refused() -> None:
    done = subprocess.run([sys.executable, str(RUN), "heet"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no program 'heet'; there are objects, jacobi2d, heat" in done.stderr
