"""Benchmarks of churn in short: memory does not grow with what has been made and freed."""

import importlib.util
import pathlib
import subprocess
import sys
from types import ModuleType

import pytest

DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
PROGRAMS = [path.stem for path in sorted(DIRECTORY.glob("*.py")) if path.stem not in {"run", "churn"}]


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    """benchmarks/run.py."""
    spec = importlib.util.spec_from_file_location("run", DIRECTORY / "run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif("libasan" in pathlib.Path("/proc/self/maps").read_text(), reason="AddressSanitizer keeps memory")
@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_stays_flat(runner: ModuleType, name: str) -> None:
    """Between a tenth of the rounds and their end, less than 16 bytes are kept for each thing made; it runs."""
    outcome = runner.measure(name, 0.05 if name != "messages" else 0.01)
    assert outcome["count"] >= 4_000
    assert outcome["end"] - outcome["early"] < 16 * outcome["count"] + 500_000


def test_all_are_listed(runner: ModuleType) -> None:
    """The runner knows each program of the directory."""
    assert sorted(runner.NAMES) == PROGRAMS


def test_the_table(runner: ModuleType) -> None:
    """A line each, and an error that names those there are."""
    command = [sys.executable, str(DIRECTORY / "run.py"), "--scale", "0.001"]
    run = subprocess.run([*command, "threads", "windows"], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in run.stdout.splitlines()] == ["benchmark", "threads", "windows"]
    wrong = subprocess.run([*command, "thread"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "no benchmark 'thread'" in wrong.stderr
