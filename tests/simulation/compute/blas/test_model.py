"""Model files: contents, and errors in wrong ones."""

import math
import pathlib
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pysmpi.errors import ConfigurationError
from pysmpi.simulation.compute.blas import load
from pysmpi.simulation.compute.blas.polynomial import parse_polynomial

EXAMPLE = pathlib.Path(__file__).parents[4] / "calibration" / "example_blas.json"
GEMM = {
    "seconds": {"m*n*k": 1e-9},
    "fit": {"measurements": 9, "r_squared": 1, "largest_relative_error": 0, "range": {size: [1, 9] for size in "mnk"}},
}


def test_the_example() -> None:
    model = load(EXAMPLE)
    assert model.speed == 4e10 and model.library.startswith("OpenBLAS")
    assert model.quality["dgemm"]["r_squared"] > 0.9
    assert model.routines["dgemm"].seconds({"m": 100, "n": 200, "k": 300}) == pytest.approx(
        100 * 200 * 300 * 5e-11 + 100 * 300 * 2e-10 + 200 * 300 * 2e-10 + 100 * 200 * 5e-10 + 1e-6
    )


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_polynomial(m: int, n: int, k: int) -> None:
    terms = {"m*n*k": 2.0, "n^2*m": 3.0, "k": 0.5, "1": 7.0, "n^3": 0.0}
    value = parse_polynomial("here", terms, ("m", "n", "k"))({"m": m, "n": n, "k": k})
    assert math.isclose(value, 2.0 * m * n * k + 3.0 * n * n * m + 0.5 * k + 7.0)


@pytest.mark.parametrize(
    ("routines", "more", "message"),
    [
        ({"dpotrff": GEMM}, {}, "routines: unknown routine 'dpotrff'; did you mean 'dpotrf'?"),
        ({}, {}, "routines: no routine is described"),
        ({"dgemm": {**GEMM, "second": {}}}, {}, "routines.dgemm: unknown key 'second'; did you mean 'seconds'?"),
        ({"dgemm": {"seconds": {"1": 1}}}, {}, "routines.dgemm: 'fit' is missing"),
        ({"dgemm": {**GEMM, "seconds": {"m*q": 1}}}, {}, "routines.dgemm.seconds.m*q: unknown size 'q'"),
        ({"dgemm": {**GEMM, "seconds": {"m-n": 1}}}, {}, "routines.dgemm.seconds.m-n: 'm-n' is not a valid factor"),
        (
            {"dgemm": {**GEMM, "seconds": {"m*n": "1"}}},
            {},
            "routines.dgemm.seconds.m*n: '1' is not a valid coefficient",
        ),
        (
            {"dgemm": {**GEMM, "seconds": {"m*n*k": 1, "m*n": -2}}},
            {},
            "routines.dgemm.seconds: the value is -1 for m = 1, n = 1, k = 1, within fit.range",
        ),
        (
            {"dgemm": {**GEMM, "noise": {"distribution": "normal", "deviation": {"m": 1, "k": -2}}}},
            {},
            "routines.dgemm.noise.deviation: the value is -1 for m = 1, n = 1, k = 1",
        ),
        ({"dgemm": {**GEMM, "seconds": {"m*n": math.nan}}}, {}, "nan is not a valid coefficient"),
        ({"dgemm": {**GEMM, "seconds": {"m*n": 1, "n*m": 1}}}, {}, "the term 'n*m' equals an earlier one"),
        ({"dgemm": {**GEMM, "seconds": {}}}, {}, "routines.dgemm.seconds: no terms are given"),
        (
            {"dgemm": {**GEMM, "noise": {"distribution": "half-norm", "deviation": {"1": 1}}}},
            {},
            "routines.dgemm.noise.distribution: unknown distribution 'half-norm'; did you mean 'half-normal'?",
        ),
        ({"dgemm": {**GEMM, "fit": {**GEMM["fit"], "range": {"m": [1, 2]}}}}, {}, "fit.range: 'n' is missing"),
        (
            {"dgemm": {**GEMM, "fit": {**GEMM["fit"], "range": {size: [2, 1] for size in "mnk"}}}},
            {},
            "fit.range.m: [2, 1] is not a valid range",
        ),
        ({"dgemm": {**GEMM, "exact_sizes": {}}}, {}, "routines.dgemm.exact_sizes: no factors are given"),
        ({"dgemm": {**GEMM, "exact_sizes": {"q": {"1": 2}}}}, {}, "routines.dgemm.exact_sizes: unknown size 'q'"),
        ({"dgemm": {**GEMM, "exact_sizes": {"k": 2}}}, {}, "routines.dgemm.exact_sizes.k: 2 is not valid; write"),
        (
            {"dgemm": {**GEMM, "exact_sizes": {"k": {"2.5": 2}}}},
            {},
            "routines.dgemm.exact_sizes.k: '2.5' is not a whole number; write",
        ),
        (
            {"dgemm": {**GEMM, "exact_sizes": {"k": {"256": 0}}}},
            {},
            "routines.dgemm.exact_sizes.k.256: 0 is not a valid factor; give a number above zero",
        ),
        ({"dgemm": GEMM}, {"speed": 0}, "speed: 0 is not a valid speed"),
        ({"dgemm": GEMM}, {"speeed": 1}, "unknown key 'speeed'; did you mean 'speed'?"),
        ({"dgemm": GEMM}, {"format": "other"}, "format: unknown format 'other' (valid: pysmpi-blas-model-1)"),
        ({"dgemm": GEMM}, {"machine": 5}, "machine: 5 is not a non-empty string"),
    ],
)
def test_what_is_wrong(model_file, routines, more, message: str) -> None:
    """The error names the file, the place in it, the valid values and the nearest match."""
    path = model_file(routines, **more)
    with pytest.raises(ConfigurationError, match=re.escape(f"{path}: ")) as caught:
        load(path)
    assert message in str(caught.value)


def test_what_is_no_model(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.json"
    with pytest.raises(ConfigurationError, match="cannot read the BLAS model"):
        load(path)
    path.write_text('{\n"speed": 1,\n}')
    with pytest.raises(ConfigurationError, match=r"model.json:[23]: not valid JSON"):
        load(path)
    path.write_text('{"speed": 1, "speed": 2}')
    with pytest.raises(ConfigurationError, match="duplicate key 'speed'"):
        load(path)
    path.write_text("[]")
    with pytest.raises(ConfigurationError, match=r"\[\] is not an object; give one with the keys format"):
        load(path)


def test_negative_coefficients_may_stay_above_zero(model_file) -> None:
    gemm = {"seconds": {"m*n*k": 1, "m*n": -1, "1": 2}, "fit": GEMM["fit"]}
    model = load(model_file({"dgemm": gemm})).routines["dgemm"]
    assert model.seconds({"m": 3, "n": 3, "k": 1}) == 2


def test_factors_of_exact_sizes(model_file) -> None:
    """Seconds and noise are multiplied where a size has the value, for one call and for arrays of calls."""
    noise = {"distribution": "normal", "deviation": {"1": 1}}
    gemm = {**GEMM, "noise": noise, "exact_sizes": {"k": {"4": 1.5}, "n": {"2": 2, "3": 0.5}}}
    model = load(model_file({"dgemm": gemm})).routines["dgemm"]
    assert model.seconds({"m": 1, "n": 2, "k": 4}) == pytest.approx(8e-9 * 2 * 1.5)
    calls = {"m": np.array([1, 1, 4]), "n": np.array([3, 1, 1]), "k": np.array([5, 4, 1])}
    assert model.seconds(calls) == pytest.approx([7.5e-9, 6e-9, 4e-9])
    assert model.deviation(calls) == pytest.approx([0.5, 1.5, 1])
