"""Tests of pysmpi.report: figures of programs."""

import numpy as np
import pytest

import pysmpi

PLATFORM = "torus:2,2"


def _report() -> None:
    from mpi4py import MPI

    pysmpi.report(ranks=MPI.COMM_WORLD.size, share=np.float32(0.5), count=np.int64(3))
    pysmpi.sleep(MPI.COMM_WORLD.rank)
    pysmpi.report(last=f"rank {MPI.COMM_WORLD.rank}")


def test_what_is_reported_last_holds() -> None:
    result = pysmpi.simulate(_report, np=4, platform=PLATFORM)
    assert result.reported == {"ranks": 4, "share": 0.5, "count": 3, "last": "rank 3"}
    assert [type(value) for value in result.reported.values()] == [int, float, int, str]
    assert pysmpi.simulate(int, np=2, platform=PLATFORM).reported == {}


def test_outside_ranks_nothing_happens() -> None:
    pysmpi.report(x=1)
    with pytest.raises(TypeError, match=r"pysmpi.report\(x=\[1\]\): give a number or a string"):
        pysmpi.report(x=[1])  # type: ignore[arg-type]


def _declare() -> None:
    pysmpi.report(flow=3.0, better="more")
    pysmpi.report(drag=1.0, lift=2.0, better={"drag": "less"})
    with pytest.raises(ValueError, match=r"pysmpi.report\(better=…\): unknown direction 'mor'; did you mean 'more'"):
        pysmpi.report(flow=3.0, better="mor")
    with pytest.raises(ValueError, match=r"unknown metric 'dragg'; did you mean 'drag'"):
        pysmpi.report(drag=1.0, better={"dragg": "less"})


def test_a_program_declares_what_is_better() -> None:
    result = pysmpi.simulate(_declare, np=2, platform=PLATFORM)
    assert result.better == {"flow": "more", "drag": "less"}
    assert result.reported == {"flow": 3.0, "drag": 1.0, "lift": 2.0}
    assert pysmpi.simulate(int, np=2, platform=PLATFORM).better == {}
