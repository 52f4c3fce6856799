"""Kinds of time that a prediction rests on, with the errors seen for each."""

import pathlib

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments.error_terms import SEEN
from pysmpi.simulation.launch.summary import summary

FREE = {"smpi/simulate-computation": "no"}


def program(seconds: float) -> None:
    pysmpi.execute(seconds)
    MPI.COMM_WORLD.Bcast(bytearray(10**8))
    MPI.COMM_WORLD.Barrier()


@pytest.mark.parametrize(
    ("cores", "fabric", "kind"),
    [
        (2, "infiniband-hdr", "MPI with several ranks a host"),
        (1, "infiniband-hdr", "MPI with a rank a host"),
        (1, "neutral", "MPI with a rank a host, no fabric named"),
        (1, None, "MPI with a rank a host, no fabric named"),
    ],
)
def test_kinds_and_shares(cores: int, fabric: str | None, kind: str) -> None:
    """Parts without a comparison are named too, and the shares add up to 1."""
    result = pysmpi.simulate(
        program, np=2, platform=Cluster(2, cores=cores, bandwidth=1e9), cfg=FREE, fabric=fabric, args=(0.01,)
    )
    assert {term.kind: term.seen for term in result.error_terms} == {
        "computation declared by the program": None,
        kind: SEEN[kind],
    }
    assert sum(term.share for term in result.error_terms) == pytest.approx(1.0)
    shares = [term.share for term in result.error_terms]
    assert shares == sorted(shares, reverse=True)
    (lines,) = [[line for line in summary(result, verbose=True).splitlines() if "errors seen" in line]]
    if SEEN[kind] is None:
        assert not lines
    else:
        assert str(result.error_terms[0]) in lines[0] and "program: no comparison with a real machine" in lines[0]


def test_small_parts_are_left_out() -> None:
    result = pysmpi.simulate(program, np=2, platform=Cluster(2), cfg=FREE, args=(1000.0,))
    assert [term.kind for term in result.error_terms] == ["computation declared by the program"]
    assert pysmpi.simulate(lambda: None, np=1, platform=Cluster(1), cfg=FREE).error_terms == ()


def test_lengths_of_measured_intervals() -> None:
    """Long intervals have smaller errors; sampled and folded computation are kinds of their own."""

    def long() -> None:
        MPI.COMM_WORLD.Barrier()
        sum(range(1_000_000))
        MPI.COMM_WORLD.Barrier()

    def short() -> None:
        for _ in range(200):
            MPI.COMM_WORLD.Barrier()

    def folded() -> None:
        pysmpi.folded_empty(10**6) + 1

    kinds = [
        pysmpi.simulate(each, np=1, platform=Cluster(1), cfg={"smpi/cpu-threshold": 0}).error_terms[0].kind
        for each in (long, short)
    ]
    assert kinds == ["measured code", "measured code, intervals below 50 us"]
    result = pysmpi.simulate(folded, np=1, platform=Cluster(1), cfg=FREE)
    assert result.error_terms[0].kind == "folded arrays by a model"


def test_the_page_has_the_same_figures() -> None:
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "predictions.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    for kind, seen in SEEN.items():
        of_kind = [line for line in rows if line.startswith(f"| {kind} |")]
        if seen is not None:
            assert of_kind and f"| {kind} | {seen.low:+.1%} to {seen.high:+.1%} | {seen.compared} (" in of_kind[0]
        else:
            assert not of_kind
