"""Threads of ranks: OMP_NUM_THREADS decides how many cores a rank's computation uses."""

from collections.abc import Callable
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import ConfigurationError
from pysmpi.platform import Cluster


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[float]]:
    """Return the time that a second of computation takes in each rank of one host with 8 cores."""

    def run(threads: str, np: int, program: Callable[[], Any] = lambda: None, **options: Any) -> list[float]:
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        values = pysmpi.simulate(computing, np=np, platform=Cluster(1, cores=8), args=(program,), **options).values
        return [pytest.approx(value, rel=1e-3) for value in values]

    return run


def computing(program: Callable[[], Any]) -> float:
    from mpi4py import MPI

    program()
    MPI.COMM_WORLD.Barrier()
    begun = MPI.Wtime()
    pysmpi.execute(1.0)
    return MPI.Wtime() - begun


@pytest.mark.parametrize(
    ("threads", "ranks", "expected"),
    [
        ("1", 8, 1),
        ("2", 4, 1),
        ("4", 2, 1),
        ("4", 4, 2),
        ("8", 3, 3),
        ("3", 8, 3),
        ("4,2", 2, 1),
        ("", 8, 1),
        (" 16", 1, 1),
        ("16", 2, 2),
    ],
)
def test_ranks_share_the_cores(seconds: Callable[..., list[float]], threads: str, ranks: int, expected: float) -> None:
    assert seconds(threads, ranks) == [expected] * ranks


def test_smpi_knows_no_threads(seconds: Callable[..., list[float]]) -> None:
    assert seconds("8", 8, smpi=True) == [1] * 8


def test_a_pinned_rank_uses_no_more_cores_than_it_has_chosen(seconds: Callable[..., list[float]]) -> None:
    def pin() -> None:
        import os

        from mpi4py import MPI

        if MPI.COMM_WORLD.rank < 2:
            os.sched_setaffinity(0, {MPI.COMM_WORLD.rank})

    assert seconds("4", 4, pin) == [10 / 8] * 4


@pytest.mark.parametrize("text", ["many", "0", "-1", "2.5"])
def test_the_variable_must_be_a_number(seconds: Callable[..., list[float]], text: str) -> None:
    with pytest.raises(ConfigurationError, match=f"OMP_NUM_THREADS='{text}' is not valid; give a number"):
        seconds(text, 1)


def test_the_summary_notes_it(pysmpirun: Any) -> None:
    source = "from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\n"
    arguments = ("-np", "4", "--platform", "flat:1:cores=8", "--verbose", "program.py")
    done = pysmpirun(*arguments, source=source, environment={"OMP_NUM_THREADS": "2"})
    assert "each rank computes on 2 cores of its host (OMP_NUM_THREADS)" in done.stderr, done.stderr
    done = pysmpirun(*arguments, source=source, environment={"OMP_NUM_THREADS": "3"})
    assert "share cores" in done.stderr and "has 8 cores for 4 ranks" in done.stderr, done.stderr
