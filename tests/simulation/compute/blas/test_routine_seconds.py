"""Durations of routines for programs that inject them."""

import json
from pathlib import Path

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import ConfigurationError
from pysmpi.platform import Cluster


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model of a host of 2 Gf."""
    fit = {"measurements": 2, "r_squared": None, "largest_relative_error": None}
    routine = {"seconds": {"m*n*k": 1e-9, "1": 1e-3}, "fit": {**fit, "range": {size: [1, 9] for size in "mnk"}}}
    path = tmp_path / "blas.json"
    texts = {"format": "pysmpi-blas-model-1", "machine": "m", "library": "l", "date": "d"}
    path.write_text(json.dumps({**texts, "speed": 2e9, "routines": {"dgemm": routine}}))
    return path


def asking() -> tuple[frozenset[str], float, float, list[float]]:
    """Return the answers for one call, an empty one and three at once."""
    return (
        pysmpi.modelled_routines(),
        pysmpi.routine_seconds("dgemm", m=10, n=10, k=10),
        pysmpi.routine_seconds("dgemm", m=0, n=10, k=10),
        pysmpi.routine_seconds("dgemm", m=np.array([1, 0, 20]), n=5, k=1).tolist(),
    )


def test_durations_are_those_of_the_simulated_host(model: Path) -> None:
    result = pysmpi.simulate(asking, np=1, platform=Cluster(1, speed=4e9), blas=model)
    names, one, none, several = result.values[0]
    assert names == {"dgemm"}
    assert one == pytest.approx((1e-6 + 1e-3) / 2)
    assert none == 0.0
    assert several == pytest.approx([(5e-9 + 1e-3) / 2, 0.0, (1e-7 + 1e-3) / 2])
    (use,) = result.routines
    assert (use.calls, use.extrapolated) == (3, 2)


def test_errors(model: Path) -> None:
    def wrong() -> None:
        with pytest.raises(ConfigurationError, match="did you mean 'dgemm'"):
            pysmpi.routine_seconds("dgem", m=1, n=1, k=1)

    pysmpi.simulate(wrong, np=1, platform=Cluster(1), blas=model)
    assert pysmpi.modelled_routines() == frozenset()
    with pytest.raises(ConfigurationError, match="no BLAS model"):
        pysmpi.routine_seconds("dgemm", m=1, n=1, k=1)
