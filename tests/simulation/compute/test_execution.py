"""Injected time outside a simulation, and errors for invalid amounts."""

import subprocess
import sys

import pytest

import pysmpi
from pysmpi.errors import SimulationError


def test_outside_ranks_nothing_is_simulated() -> None:
    assert not pysmpi.is_simulated()
    pysmpi.execute(1e9)
    pysmpi.execute_flops(1e30)
    pysmpi.sleep(0.0)
    with pysmpi.untimed():
        pysmpi.execute(1.0)


@pytest.mark.parametrize("function", [pysmpi.execute, pysmpi.execute_flops, pysmpi.sleep])
@pytest.mark.parametrize("amount", [-1.0, float("nan"), float("inf")])
def test_impossible_amounts_are_refused(function, amount: float) -> None:
    with pytest.raises(SimulationError, match=f"{function.__name__}.*zero or more"):
        function(amount)


def test_import_is_light_and_never_touches_mpi() -> None:
    """A real run may import pysmpi before or after its MPI."""
    code = "import sys, pysmpi; print([name for name in ('mpi4py', 'numpy', 'scipy', 'xml') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
