"""Amounts of applications, formulas, and figures of machines."""

import pathlib

import pytest

from pysmpi import aspen
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_info import machine_json
from pysmpi.formulas.expressions.symbolic import Symbolic

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parents[1] / "models"
FFT = aspen.read_application(str(MODELS / "fft3d.aspen"))
KEENELAND = str(MODELS / "machines" / "keeneland.aspen")


def test_figures_of_keeneland() -> None:
    """The paper's table III is of two X5660 and one M2090; the listing has 133.2 GB/s with ECC."""
    found = machine_json(aspen.read_machine(KEENELAND))
    westmere, fermi = found["sockets"]["westmere"], found["sockets"]["fermi"]
    assert [2 * westmere["peaks"][each] for each in ("simd", "dp, simd")] == pytest.approx([268.8e9, 134.4e9])
    assert 2 * westmere["bandwidths"]["loads"] == pytest.approx(51.168e9)
    assert [fermi["peaks"][each] for each in ("simd", "dp, simd")] == pytest.approx([1331.2e9, 665.6e9])
    assert fermi["bandwidths"] == pytest.approx({"loads": 133.2e9, "stores": 133.2e9})
    without = machine_json(aspen.read_machine(f"{KEENELAND}:eccPenalty=1"))["sockets"]["fermi"]
    assert without["bandwidths"]["loads"] == pytest.approx(177.6e9)
    assert found["networks"] == {"infinibandQDR": {"bandwidth": 4e9, "latency": 1e-6, "connections": 120}}
    assert (westmere["count"], westmere["capacity"], found["parts"]["westmereCore"]) == (240, 12e9, 1440)


def test_figures_of_the_other_dialect() -> None:
    found = machine_json(aspen.read_machine(str(HERE / "models" / "tool_machine.aspen")))
    chip = found["sockets"]["chip"]
    assert chip["peaks"] == pytest.approx({"": 30e9, "dp": 15e9, "simd": 120e9, "dp, simd": 60e9, "simd, dp": 60e9})
    assert chip["bandwidths"] == pytest.approx({"loads": 10e9, "stores": 5e9})
    assert (chip["count"], chip["capacity"], chip["static_power"], chip["dynamic_power"]) == (32, 8e9, 40, 60)
    assert found["networks"]["fabric"] == pytest.approx({"bandwidth": 4e9, "latency": 1e-6, "connections": 16})


def test_formulas() -> None:
    assert FFT.flops(kernel="localFFT").formula() == "5*n^3*log2(n)"
    assert FFT.loads(control="slab").formula() == ("3*a*n^3*wordSize*max(1, log(n*wordSize)/log(Z)) + 3*n^3*wordSize")
    assert FFT.flops(kernel="localFFT", n=8).formula() == "7680"
    assert FFT.set(n="2^a", a=3).flops(kernel="localFFT").value == 7680


def test_arithmetic_of_formulas() -> None:
    n, m = Symbolic.atom("n"), Symbolic.atom("m")
    assert str(2 * n * n + n**2 - m / n) == "3*n^2 - m/n"
    assert str((n + 1) ** 2) == "n^2 + 2*n + 1"
    assert str(1 / (n + m)) == "1/(n + m)" and str((n + m) / (n + m)) == "1" and str(n - n) == "0"
    assert str(2.0**n) == "2^n" and str((n + 1) ** m) == "(n + 1)^m"
    assert str(Symbolic.call("max", [n, Symbolic.of(1)])) == "max(n, 1)"
    assert str(Symbolic.call("log2", [Symbolic.of(8)])) == "3"


def test_names_that_are_not_parameters() -> None:
    with pytest.raises(AspenError, match=r"fft3d.aspen:\d+: no parameter is called 'wordsize'; did you mean 'wordS"):
        FFT.set(wordsize=8)
    with pytest.raises(AspenError, match=r"keeneland.aspen:\d+: no parameter is called 'nodes'; did you mean 'numNod"):
        aspen.read_machine(f"{KEENELAND}:nodes=3")
    with pytest.raises(AspenError, match=r"n=2[*]:1: expected a number, a name or"):
        FFT.set(n="2*")


@pytest.mark.parametrize("text", ["log(0)", "(0 - 1)^0.5 + n", "n / (1 - 1)", "1e300 * 1e300 * n"])
def test_formulas_without_a_finite_value(tmp_path: pathlib.Path, text: str) -> None:
    (tmp_path / "a.aspen").write_text(f"param n = 3\nkernel main {{\n execute [n] {{ flops [{text}] }} }}\n")
    with pytest.raises(AspenError, match=r"a.aspen:3: "):
        aspen.read_application(str(tmp_path / "a.aspen")).amounts("main", formulas=True)
