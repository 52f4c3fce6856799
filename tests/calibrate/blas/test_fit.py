"""Tests of BLAS fits: known polynomials and noise are recovered."""

import json
import math
import pathlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.calibrate.blas import COLUMNS, fit_routine, fit_table, model_document
from pysmpi.calibrate.blas.kernels import KERNELS
from pysmpi.calibrate.table import read_table
from pysmpi.errors import CalibrationError
from pysmpi.simulation.compute.blas import ROUTINES, load

Times = dict[tuple[int, ...], list[float]]


def dgemm_times(truth: dict[str, float], deviation: float, distribution: str, seed: int = 0, count: int = 80) -> Times:
    rng = np.random.default_rng(seed)
    found: Times = {}
    for _ in range(count):
        m, n, k = (int(size) for size in np.exp(rng.uniform(math.log(8), math.log(2048), 3)))
        mean = sum(value * eval(term, {"m": m, "n": n, "k": k}) for term, value in truth.items())
        normal = rng.standard_normal(5)
        if distribution == "half-normal":
            normal = (np.abs(normal) - math.sqrt(2 / math.pi)) / math.sqrt(1 - 2 / math.pi)
        found[m, n, k] = list(mean * (1 + deviation * normal))
    return found


TRUTH = {"m*n*k": 5e-11, "m*n": 5e-10, "1": 2e-6}


@pytest.mark.parametrize("distribution", ["half-normal", "normal"])
def test_a_polynomial_and_its_noise_are_found_again(distribution: str) -> None:
    fit = fit_routine("dgemm", dgemm_times(TRUTH, 0.05, distribution))
    assert set(fit.expected.coefficients) == set(TRUTH)
    for term, value in TRUTH.items():
        assert fit.expected.coefficients[term] == pytest.approx(value, rel=0.05)
    assert fit.distribution == distribution
    relative = fit.deviation["m*n*k"] / fit.expected.coefficients["m*n*k"]
    assert relative == pytest.approx(0.05, rel=0.25)
    assert np.abs(fit.errors).max() < 0.1 and fit.r_squared > 0.99


def test_intervals_hold_what_they_promise() -> None:
    inside = 0
    for seed in range(60):
        fit = fit_routine("dgemm", dgemm_times(TRUTH, 0.1, "normal", seed, count=40))
        low, high = fit.expected.intervals["m*n*k"]
        inside += low <= TRUTH["m*n*k"] <= high
    assert 51 <= inside <= 60


@settings(max_examples=20, deadline=None)
@given(
    coefficients=st.tuples(st.floats(1e-12, 1e-9), st.floats(1e-11, 1e-7), st.floats(1e-8, 1e-5)),
    routine=st.sampled_from(["daxpy", "dgemv", "dpotrf", "dsyrk"]),
)
def test_without_noise_the_fit_is_exact(coefficients: tuple[float, float, float], routine: str) -> None:
    """Any sum of candidate terms is reproduced, and no noise is found."""
    rng = np.random.default_rng(3)
    leading = KERNELS[routine].leading
    times: Times = {}
    for _ in range(40):
        sizes = tuple(int(size) for size in np.exp(rng.uniform(math.log(8), math.log(2000), len(ROUTINES[routine]))))
        named = dict(zip(ROUTINES[routine], sizes, strict=True))
        most = math.prod(named[factor[0]] ** int(factor[2:] or 1) for factor in leading.split("*"))
        first = named[leading[0]]
        times[sizes] = [coefficients[0] * most + coefficients[1] * first + coefficients[2]] * 3
    fit = fit_routine(routine, times)
    assert np.abs(fit.errors).max() < 1e-6
    assert fit.distribution is None and fit.outliers == 0


def test_outliers_are_counted_and_do_not_decide() -> None:
    """A few times that are a hundred times too long change only the number and the time of outliers."""
    times = dgemm_times(TRUTH, 0.03, "half-normal")
    for sizes in list(times)[:5]:
        times[sizes][2] *= 100
    fit = fit_routine("dgemm", times)
    assert fit.outliers == 5 and fit.outliers_time > 0.01
    assert fit.expected.coefficients["m*n*k"] == pytest.approx(TRUTH["m*n*k"], rel=0.05)
    assert fit.entry()["fit"]["measurements"] == 400


def test_the_published_model_is_the_slope_without_its_intercept() -> None:
    plain = fit_routine("dgemm", dgemm_times({"m*n*k": 1e-10}, 0, "normal"))
    assert plain.one_coefficient["coefficient"] == pytest.approx(1e-10)
    assert plain.one_coefficient["largest_relative_error"] < 1e-9
    fit = fit_routine("dgemm", dgemm_times(TRUTH, 0, "normal"))
    assert fit.one_coefficient["largest_relative_error"] > 0.5 > 0.01 > np.abs(fit.errors).max()


def test_sizes_measured_once_have_no_noise() -> None:
    fit = fit_routine("dgemm", {sizes: times[:1] for sizes, times in dgemm_times(TRUTH, 0.02, "normal").items()})
    assert fit.distribution is None and fit.skewness is None
    assert fit.expected.coefficients["m*n*k"] == pytest.approx(TRUTH["m*n*k"], rel=0.05)


def test_the_document_is_what_pysmpirun_reads(tmp_path: pathlib.Path) -> None:
    fit = fit_routine("dgemm", dgemm_times(TRUTH, 0.05, "half-normal"))
    told = {"part": "blas", "machine": "a machine", "library": "a library", "date": "2026-01-02", "options": "all"}
    file = tmp_path / "model.json"
    file.write_text(json.dumps(model_document([fit], told)))
    model = load(file)
    assert (model.machine, model.library, model.date) == ("a machine", "a library", "2026-01-02")
    assert model.speed == pytest.approx(2 / 5e-11, rel=0.05)
    sizes = {"m": 100, "n": 200, "k": 300}
    expected = sum(value * eval(term, sizes) for term, value in fit.expected.coefficients.items())
    assert model.routines["dgemm"].seconds({"m": 100, "n": 200, "k": 300}) == pytest.approx(expected)
    assert model.routines["dgemm"].distribution == "half-normal"
    assert model.routines["dgemm"].fitted == fit.range
    assert model.quality["dgemm"]["intervals"].keys() == fit.expected.coefficients.keys()


def test_a_model_without_dgemm_wants_a_speed() -> None:
    fit = fit_routine("daxpy", {(n,): [1e-9 * n] for n in (10, 100, 1000, 10000)})
    with pytest.raises(CalibrationError, match="dgemm was not measured; give --speed"):
        model_document([fit], {})
    assert model_document([fit], {}, speed=1e9)["speed"] == 1e9


def test_the_speed_of_products_that_take_no_longer_when_larger() -> None:
    fit = fit_routine("dgemm", {(n, n, n): [1e-6] for n in (8, 10, 12, 14, 16)})
    assert "m*n*k" not in fit.expected.coefficients
    assert model_document([fit], {})["speed"] == pytest.approx(2 * 16**3 / 1e-6)


HEADER = "# machine: here\nroutine,m,n,k,seconds\n"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("", "t.csv: the table has no measurements"),
        ("daxpy,,10,,1e-6\n" * 9, r"t.csv:3: daxpy: a fit needs at least 4 different sizes, but there is 1 \(n: 10\)"),
        ("daxpy,,10,,1e-6\ndaxpy,,20,,2e-6\n", "at least 4 different sizes, but there are 2"),
        ("daxpy,,10,,1e-6\ndgemm,4,4,,1\n", "t.csv:4: dgemm has the sizes m, n, k; k is missing"),
        ("daxpy,,10,,0\n", "t.csv:3: seconds = 0 is not valid; times must be above 0"),
        ("dgeev,,10,,1\n" * 4, "t.csv:3: dgeev is not supported"),
        ("dgemmm,4,4,4,1\n", "t.csv:3: routine: unknown value 'dgemmm'; did you mean 'dgemm'"),
        ("daxpy,,10,,-1\n", "t.csv:3: seconds: -1 is not valid"),
        ("daxpy,,0,,1\n", "t.csv:3: n: 0 is not valid; write a number of at least 1"),
    ],
)
def test_tables_that_do_not_do(tmp_path: pathlib.Path, rows: str, message: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(HEADER + rows)
    with pytest.raises(CalibrationError, match=message):
        fit_table(read_table(file, COLUMNS))
