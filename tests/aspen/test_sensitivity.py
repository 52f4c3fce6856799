"""Elasticities of the time."""

import pathlib

import pytest

from pysmpi import aspen
from pysmpi.aspen.sensitivity import elasticities

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parents[1] / "models"
FFT = aspen.read_application(str(MODELS / "fft3d.aspen"))
WESTMERE = aspen.read_machine(str(MODELS / "machines" / "westmere.aspen"))


def test_an_fft_bound_by_memory() -> None:
    found = elasticities(FFT.set(P=1024), WESTMERE, kernel="localFFT")
    assert found["ddr3Clock"] == pytest.approx(-1, abs=1e-9) and found["a"] == pytest.approx(1, abs=1e-9)
    assert found["westmereClock"] == 0 and found["P"] == pytest.approx(-1, abs=1e-9)
    assert found["n"] == pytest.approx(3, abs=1e-9)
    assert abs(next(iter(found.values()))) == max(map(abs, found.values()))


def test_smooth_models(tmp_path: pathlib.Path) -> None:
    """The elasticity of n^2 / (n + m) is 2 - n / (n + m), and that of m is -m / (n + m)."""
    path = tmp_path / "a.aspen"
    path.write_text(
        "param n = 30\nparam m = 70\nparam k = n + m\nkernel main { execute [64] { flops [1e6 * n^2 / k] } }\n"
    )
    found = elasticities(aspen.read_application(str(path)), WESTMERE)
    assert found["n"] == pytest.approx(2 - 0.3, abs=1e-9) and found["m"] == pytest.approx(-0.7, abs=1e-9)
    assert "k" not in found


def test_parameters_of_imported_models() -> None:
    """In a time step that messages of the FFT bound, the imported word size has an effect; meshDim replaces n."""
    model = aspen.read_application(str(MODELS / "md.aspen")).set(P=64)
    found = elasticities(model, WESTMERE)
    assert found["3DFFT.wordSize"] == pytest.approx(1, abs=0.05) and "3DFFT.a" in found
    assert "3DFFT.n" not in found and found["meshDim"] == pytest.approx(3, abs=0.1)
