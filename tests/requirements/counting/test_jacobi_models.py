"""Formulas of Jacobi's requirements from 25 small runs, confirmed by a larger one."""

import itertools
from pathlib import Path

import pytest

import pysmpi
from pysmpi.formulas import Model, fit
from pysmpi.requirements.counting import Requirements

JACOBI = Path(__file__).parents[3] / "apps/jacobi/jacobi.py"
RANKS, SIDES = (4, 16, 36, 64, 100), (10, 20, 40, 80, 160)


def needs_of(ranks: int, side: int) -> Requirements:
    """Return the requirements of ten sweeps with `side` ** 2 points a rank, with SMPI's collectives.

    The grids are Open MPI's, which are square; SMPI's of 36 and 100 ranks are 9 × 4 and 25 × 4.
    """
    found = pysmpi.simulate(
        JACOBI, np=ranks, platform="flat:256", args=(side * round(ranks**0.5), 10),
        cfg={"smpi/coll-selector": "default", "smpi/simulate-computation": "no"}, requirements=True,
    ).requirements  # fmt: skip
    assert found is not None
    return found


@pytest.fixture(scope="module")
def runs() -> dict[tuple[int, int], Requirements]:
    return {(ranks, side**2): needs_of(ranks, side) for ranks, side in itertools.product(RANKS, SIDES)}


FORMULAS = {
    "sent.bytes": "320·√n - 320·√n/√p + 56 - 56/p",
    "sent.messages": "50 - 40/√p - 10/p",
    "memory": "32·n + 104·√n + 96",
    "flops": "46·n + √n + 2",
    "accesses": "1160·n + 776·√n - 336·√n/√p + 192 - 32/√p",
}


def model_of(runs: dict[tuple[int, int], Requirements], metric: str) -> Model:
    return fit(("p", "n"), list(runs), [each.mean[metric] for each in runs.values()])


@pytest.mark.parametrize("metric", FORMULAS)
def test_formulas_are_exact(runs: dict[tuple[int, int], Requirements], metric: str) -> None:
    """Ten sweeps take 4 operations a point each; the two largest differences and the boundary values take the rest."""
    model = model_of(runs, metric)
    assert model.exact
    assert model.form.pretty.replace("\N{MINUS SIGN}", "-") == FORMULAS[metric]


def test_a_larger_run_confirms_them(runs: dict[tuple[int, int], Requirements]) -> None:
    larger = needs_of(256, 200).mean
    for metric in FORMULAS:
        assert model_of(runs, metric).form.value({"p": 256, "n": 40_000}) == pytest.approx(larger[metric], rel=1e-12)
