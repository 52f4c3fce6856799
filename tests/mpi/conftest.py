"""mpi4py over the simulator: a world of one in the test process, and the ranks of simulations."""

import pathlib
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

import pysmpi
from pysmpi.launch.binding import bind

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # nested_types, which test files share
PLATFORMS = pathlib.Path(__file__).resolve().parents[2] / "platforms"


@pytest.fixture(scope="session")
def MPI() -> types.ModuleType:
    """Return the module mpi4py.MPI, bound to the simulator."""
    return bind()


@pytest.fixture
def run_ranks(MPI: types.ModuleType) -> Callable[..., list[Any]]:
    """Run a function of MPI and its arguments in several ranks, and return their results."""

    def run(function: Callable[..., Any], ranks: int, *arguments: Any) -> list[Any]:
        cfg = {"smpi/simulate-computation": "no"}
        platform = PLATFORMS / ("cluster.xml" if ranks <= 128 else "fattree.xml")
        return pysmpi.simulate(function, np=ranks, platform=platform, cfg=cfg, args=(MPI, *arguments)).values

    return run
