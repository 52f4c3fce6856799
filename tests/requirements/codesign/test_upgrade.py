"""Upgrades: the tables of Calotoiu et al. 2018, computed again from its formulas."""

import pathlib

import pytest

from pysmpi.errors import ModelError
from pysmpi.formulas import Expression, Formula, read_models
from pysmpi.requirements.codesign import (
    UPGRADES,
    Upgrade,
    fill,
    leading_powers,
    leading_ratios,
    parse_upgrade,
    ratios,
    upgraded,
)

CODES = read_models(pathlib.Path(__file__).with_name("codes.toml"))

# By base machine and code: n, then for upgrades A, B and C the ratios of n, problem, flops, sent and accesses.
EXACT = {
    (65536, 2e9): {
        "kripke": (20000, [[1, 2, 1, 1, 1.9850], [0.5, 1, 0.5, 0.5, 0.9925], [2, 2, 2, 2, 2]]),
        "lulesh": (1843.6, [[1, 2, 1.2635, 1.2635, 1.0625], [0.5440, 1.0881, 0.6318, 0.6874, 0.5312],
                            [1.8489, 1.8489, 2, 1.8489, 2]]),
        "relearn": (4e6, [[1, 2, 1.0625, 1.0179, 1.0013], [0.25, 0.5, 0.2414, 0.3079, 0.2295],
                          [4, 4, 4.3648, 3.8399, 4.3608]]),
    },
    (2**20, 16e9): {
        "kripke": (160000, [[1, 2, 1, 1, 1.9990], [0.5, 1, 0.5, 0.5, 0.9995], [2, 2, 2, 2, 2]]),
        "lulesh": (11825.9, [[1, 2, 1.2487, 1.2487, 1.0500], [0.5357, 1.0713, 0.6243, 0.6689, 0.5250],
                             [1.8744, 1.8744, 2, 1.8744, 2]]),
        "relearn": (2.56e8, [[1, 2, 1.0500, 1.0041, 1.0003], [0.25, 0.5, 0.2437, 0.2578, 0.2326],
                             [4, 4, 4.2864, 3.9854, 4.2855]]),
    },
}  # fmt: skip

# Ratios of the published table V. Nine cells contradict the paper's formulas; here they are computed from the formulas.
LEADING = {
    "kripke": [[1, 2, 1, 1, 2], [0.5, 1, 0.5, 0.5, 1.0], [2, 2, 2, 2, 2]],
    "lulesh": [[1, 2, 1.2, 1.2, 1], [0.5, 1, 0.6, 0.6, 0.5], [2, 2, 2, 2, 2]],
    "relearn": [[1, 2, 1, 1, 2], [0.25, 0.5, 0.25, 0.25, 0.5], [4, 4, 4, 4, 4]],
}


@pytest.mark.parametrize("base", EXACT)
@pytest.mark.parametrize("code", CODES)
def test_exact_ratios(base: tuple[float, float], code: str) -> None:
    n, expected = EXACT[base][code]
    start = fill(CODES[code], *base)
    assert start.n == pytest.approx(n, rel=1e-4) and start.problem == base[0] * (start.n or 0)
    for upgrade, row in zip(UPGRADES, expected, strict=True):
        found = upgraded(CODES[code], start, upgrade).ratios
        values = [found[name] for name in ("n", "problem", "flops", "sent", "accesses")]
        assert values == pytest.approx(row, abs=1e-4)


@pytest.mark.parametrize("code", CODES)
def test_leading_ratios(code: str) -> None:
    for upgrade, row in zip(UPGRADES, LEADING[code], strict=True):
        found = leading_ratios(CODES[code], upgrade)
        values = [found[name] for name in ("n", "problem", "flops", "sent", "accesses")]
        assert values == pytest.approx(row, abs=0.05)
        assert found["memory"] == pytest.approx(upgrade.memory)


@pytest.mark.parametrize(
    ("text", "powers"),
    [
        ("(n + 1)*(p + 2*n)", {"n": 2, "p": 1}),
        ("n*(p + 1) - n*p", {"n": 1, "p": 0}),
        ("n/sqrt(p) + 5", {"n": 1, "p": -0.5}),
        ("log2(n)*cbrt(p**2)", {"n": 0, "p": 2 / 3}),
        ("max(3*n, p)/(2*n + 1)**2", {"n": -1, "p": 1}),
        ("-(n**1.5) + round(n)", {"n": 1.5}),
        ("sqrt(n**2 + p)", {"n": 1, "p": 0.5}),
    ],
)
def test_leading_powers(text: str, powers: dict[str, float]) -> None:
    assert leading_powers(Expression.parse(text)) == pytest.approx(powers)


def test_exponential_growth_has_no_leading_power() -> None:
    with pytest.raises(ModelError, match="column 2: the exponent depends on n, so there is no leading power"):
        leading_powers(Expression.parse("2**n"))
    with pytest.raises(ModelError, match=r"column 1: memory 'log2\(n\)' does not grow as a power of n"):
        leading_ratios({"memory": Formula(Expression.parse("log2(n)"))}, UPGRADES[0])


@pytest.mark.parametrize(
    ("text", "upgrade"),
    [
        ("fat nodes: processes*2 memory*0.5", Upgrade("fat nodes", 2, 0.5)),
        ("x:memory * 4", Upgrade("x", 1, 4)),
        ("half: processes/2", Upgrade("half", 0.5, 1)),
    ],
)
def test_upgrades_in_words(text: str, upgrade: Upgrade) -> None:
    assert parse_upgrade(text) == upgrade


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("processes*2", 'write "NAME: processes\\*2 memory\\*0.5"'),
        ("x: procesess*2", "unknown part of a machine 'procesess'; did you mean 'processes'?"),
        ("x: memory*0", "'memory\\*0' is not valid"),
        ("x: memory+1", "'memory\\+1' is not valid"),
        ("x: memory*2 memory*2", "memory is given twice"),
    ],
)
def test_mistakes_in_upgrades(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        parse_upgrade(text)


def test_a_program_that_does_not_fit() -> None:
    """The largest number of processes is the last whole one at which one point a process fits."""
    model = {"memory": Formula(Expression.parse("1e3*p + 8*n")), "flops": Formula(Expression.parse("n"))}
    point = fill(model, 10_000, 1e6)
    assert point.n is None and point.problem is None and point.largest_processes == 999
    assert point.to_json() == {"fits": False, "processes": 10000, "memory": 1000000, "largest_processes": 999}
    assert fill(model, 999, 1e6).n == 125
    assert fill(model, 10_000, 5).largest_processes == 0
    assert ratios(point, fill(model, 999, 1e6)) == {}
    just = {"memory": Formula(Expression.parse("1e5*n*log2(n) + 1"))}
    assert fill(just, 4, 1).n == 1


def test_ratios_to_zero_are_none() -> None:
    model = {"memory": Formula(Expression.parse("8*n")), "sent": Formula(Expression.parse("n*log2(p)"))}
    found = upgraded(model, fill(model, 1, 80), UPGRADES[0]).ratios
    assert found["sent"] is None and found["problem"] == 2
    assert upgraded(model, fill(model, 1, 80), UPGRADES[2]).ratios["sent"] == 1


def test_memory_that_does_not_limit_the_problem() -> None:
    model = {"memory": Formula(Expression.parse("min(n, 100)*p"))}
    assert fill(model, 10, 500).n == 50
    with pytest.raises(ModelError, match=r"stays below 5000 bytes for every n at p = 10"):
        fill(model, 10, 5000)
