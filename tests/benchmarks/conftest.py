"""Loading of the benchmark suite's modules, which are not a package, from the suite's folder."""

import importlib
import os
import pathlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Return a function that loads a module of the suite by name."""
    monkeypatch.syspath_prepend(str(DIRECTORY))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(
            f"{DIRECTORY}{os.sep}"
        ):  # and not what they import
            del sys.modules[name]
