"""Model files for the tests."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

from pysmpi.simulation.compute.blas import ROUTINES


def _entry(routine: str, seconds: dict[str, float], **more: Any) -> dict[str, Any]:
    quality = {"measurements": 9, "r_squared": 0.99, "largest_relative_error": 0.1}
    return {"seconds": seconds, "fit": {**quality, "range": {size: [1, 100] for size in ROUTINES[routine]}}, **more}


@pytest.fixture
def entry() -> Callable[..., dict[str, Any]]:
    return _entry


@pytest.fixture
def model_file(tmp_path: pathlib.Path) -> Callable[..., pathlib.Path]:
    def write(routines: dict[str, Any], **more: Any) -> pathlib.Path:
        document = {"format": "pysmpi-blas-model-1", "machine": "some", "library": "one", "date": "2026-11-21"}
        path = tmp_path / "model.json"
        path.write_text(json.dumps({**document, "speed": 1e9, "routines": routines, **more}))
        return path

    return write


@pytest.fixture
def sizes_as_time(model_file: Callable[..., pathlib.Path]) -> pathlib.Path:
    """Return a model of all routines in which a call takes m + 100 n + 10,000 k + 1,000,000 nrhs seconds."""
    weights = {"m": 1, "n": 1e2, "k": 1e4, "nrhs": 1e6}
    return model_file({name: _entry(name, {size: weights[size] for size in sizes}) for name, sizes in ROUTINES.items()})
