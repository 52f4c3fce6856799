"""Simulated times of calls that poll several requests, against SMPI 3.32."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pysmpi

pytestmark = pytest.mark.smpi

PLATFORM = pathlib.Path(__file__).parents[1] / "parity" / "platforms" / "flat.xml"
CFG = {"smpi/simulate-computation": "no", "smpi/grow-injected-times": "yes"}


def _testall(requests: list[Any]) -> None:
    from mpi4py import MPI

    while not MPI.Request.Testall(requests):
        pass


def _waitsome(requests: list[Any]) -> None:
    from mpi4py import MPI

    while MPI.Request.Waitsome(requests) is not None:
        pass


def _elapsed(complete: Callable[[list[Any]], None]) -> float:
    from mpi4py import MPI

    comm, begun = MPI.COMM_WORLD, MPI.Wtime()
    if comm.rank == 0:
        pysmpi.execute_flops(1e6)
        MPI.Request.Waitall([comm.Isend(np.zeros(1), 1, tag) for tag in (1, 2)])
    else:
        complete([comm.Irecv(np.empty(1), 0, tag) for tag in (1, 2)])
    return MPI.Wtime() - begun


@pytest.mark.parametrize(("complete", "seconds"), [(_testall, 0.00040001), (_waitsome, 0.0002202039857488)])
def test_several_requests_take_as_long_as_under_smpi(complete: Callable[[list[Any]], None], seconds: float) -> None:
    """Testall does not test a request again that it has found complete; Waitsome tests each further request."""
    values = pysmpi.simulate(_elapsed, np=2, platform=PLATFORM, cfg=CFG, args=(complete,)).values
    assert values[1] == pytest.approx(seconds, rel=1e-6)
