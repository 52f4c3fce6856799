"""Tests of the churn benchmarks: memory does not grow with objects that have been freed."""

import pathlib
from collections.abc import Callable
from types import ModuleType

import pytest

DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
PROGRAMS = [path.stem for path in sorted((DIRECTORY / "churn").glob("*.py")) if path.stem != "churn"]


@pytest.fixture
def churn(suite: Callable[[str], ModuleType]) -> ModuleType:
    return suite("groups.churn")


@pytest.mark.memory
@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_stays_flat(churn: ModuleType, name: str) -> None:
    outcome = churn.measure(name, 0.05 if name != "messages" else 0.01)
    assert outcome["count"] >= 4_000
    assert outcome["end"] - outcome["early"] < 16 * outcome["count"] + 500_000


def test_all_are_listed(churn: ModuleType) -> None:
    assert sorted(churn.NAMES) == PROGRAMS
