"""Interpreter state after ranks have been stopped."""

import pathlib
import sys
from types import FrameType
from typing import Any

import pytest

import pysmpi

PLATFORM = pathlib.Path(__file__).resolve().parents[3] / "platforms" / "cluster.xml"


def test_traced_code_runs_after_ranks_have_been_stopped() -> None:
    """CPython 3.11 hangs in traced code if it believes that an asynchronous exception is pending but finds none."""

    def program() -> None:
        from mpi4py import MPI

        if MPI.COMM_WORLD.rank == 1:
            raise RuntimeError("stop the others")
        MPI.COMM_WORLD.barrier()

    with pytest.raises(pysmpi.PysmpiError):
        pysmpi.simulate(program, np=3, platform=PLATFORM)
    events: list[str] = []

    def trace(frame: FrameType, event: str, argument: Any) -> None:
        events.append(event)

    def traced() -> int:
        return 5

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert traced() == 5
    finally:
        sys.settrace(before)
    assert "call" in events
