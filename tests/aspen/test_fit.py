"""Fits of parameters to measured figures."""

import json
import pathlib

import numpy
import pytest

from pysmpi import aspen
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.fit import Fit, fit
from pysmpi.aspen.measurements import read_measurements
from pysmpi.aspen.syntax_tree import Name
from pysmpi.cli.main import main

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parents[1] / "models"
WESTMERE = MODELS / "machines" / "westmere.aspen"
MACHINE = aspen.read_machine(str(WESTMERE))
FFT = aspen.read_application(str(MODELS / "fft3d.aspen"))

MODEL = """// A model.
param a = 1 in 0.1 .. 100   # first
param b = 2 in 1 .. 50
param c = (1 +
  1) in -5 .. 5 /* third */
param m = 64
kernel main { execute [m] { flops [a * b * 1e6] } execute [m] { loads [1e3 * exp(c) * n] } }
kernel flat { execute [64] { flops [1e6 * b] } }
"""


def fitted(folder: pathlib.Path, text: str, table: str, **values: float) -> Fit:
    (folder / "a.aspen").write_text(text)
    (folder / "t.csv").write_text(table)
    application = aspen.read_application(str(folder / "a.aspen")).set(**values)
    return fit(application, MACHINE, read_measurements(str(folder / "t.csv"), application, MACHINE))


def table_of(**values: float) -> str:
    application = aspen.read_application(str(MODELS / "fft3d.aspen"))
    lines = ["n,P,kernel,seconds"]
    for number in range(20):
        n, ranks = 2 ** (8 + number % 6), 2 ** (4 + number % 5)
        kernel = ("localFFT", "")[number % 2]
        question = {"kernel": kernel} if kernel else {"control": "pencil"}
        seconds = float(application.cost(MACHINE, **question, n=n, P=ranks, **values).seconds)
        lines.append(f"{n},{ranks},{kernel},{seconds!r}")
    return "\n".join(lines)


@pytest.mark.parametrize(("noise", "tolerance"), [(0.0, 1e-6), (0.01, 0.01)])
def test_the_factor_of_an_fft_is_found_again(tmp_path: pathlib.Path, noise: float, tolerance: float) -> None:
    head, *lines = table_of(a=4.2).splitlines()
    drawn = numpy.random.default_rng(5).standard_normal(len(lines))
    noisy = []
    for line, each in zip(lines, drawn, strict=True):
        *cells, seconds = line.split(",")
        noisy.append(",".join([*cells, repr(float(float(seconds) * (1 + noise * each)))]))
    (tmp_path / "t.csv").write_text("\n".join([head, *noisy]))
    measured = read_measurements(str(tmp_path / "t.csv"), FFT, MACHINE)
    found = fit(FFT, MACHINE, measured, control="pencil")
    assert list(found.parameters) == ["a"] and found.undetermined == []
    a = found.parameters["a"]
    assert a.value == pytest.approx(4.2, rel=tolerance) and a.low <= a.value <= a.high
    assert found.largest >= found.rms and found.rms == pytest.approx(noise, rel=0.5, abs=1e-12)
    assert found.places[0] == f"{tmp_path / 't.csv'}:2"


def test_parameters_that_only_occur_as_a_product(tmp_path: pathlib.Path) -> None:
    application = aspen.read_application(str(write(tmp_path, MODEL)))
    times = [(n, float(application.cost(MACHINE, n=n, P=64, a=7, b=5, c=1.5).seconds)) for n in range(10, 400, 20)]
    table = "n,seconds\n" + "\n".join(f"{n},{seconds!r}" for n, seconds in times)
    found = fitted(tmp_path, MODEL, table, P=64)
    assert found.undetermined == [("a", "b")] and found.parameters["c"].value == pytest.approx(1.5, rel=1e-6)
    assert found.parameters["a"].value * found.parameters["b"].value == pytest.approx(35, rel=1e-6)
    assert (found.parameters["a"].low, found.parameters["a"].high) == (0.1, 100)
    assert found.parameters["c"].high - found.parameters["c"].low < 1e-6
    assert fitted(tmp_path, MODEL, table, P=64, b=5).parameters["a"].value == pytest.approx(7, rel=1e-6)


def test_parameters_without_effect_and_other_figures(tmp_path: pathlib.Path) -> None:
    found = fitted(tmp_path, MODEL, "kernel,flops,P\nflat,640e6,4\nflat,,8\n".replace("flat,,8\n", "flat,2^7*5e6,8\n"))
    assert found.parameters["b"].value == pytest.approx(10, rel=1e-9)
    assert found.undetermined == [("a", "a"), ("c", "c")]
    defaults = aspen.read_application(str(write(tmp_path, MODEL))).names().scope
    assert found.parameters["a"].value == defaults.value(Name("a"))


def test_a_table_of_a_study(tmp_path: pathlib.Path) -> None:
    rows = ["point,replicate,ranks,arguments.n,seed,status,error,simulated_time,messages,key"]
    application = aspen.read_application(str(write(tmp_path, MODEL)))
    for number in range(1, 9):
        seconds = float(application.cost(MACHINE, n=100 * number, P=8, a=20, c=1).seconds)
        rows.append(f"{number},0,8,{100 * number},1,done,,{seconds!r},12,k{number}")
    rows.append("9,0,8,100,1,failed,no,,,k9")
    found = fitted(tmp_path, MODEL, "\n".join(rows), b=2)
    assert found.parameters["a"].value == pytest.approx(20, rel=1e-6)


def write(folder: pathlib.Path, text: str) -> pathlib.Path:
    (folder / "a.aspen").write_bytes(text.encode())
    return folder / "a.aspen"


def test_the_model_is_written_with_new_defaults_only(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "\ufeff" + MODEL.replace("\n", "\r\n"))
    (tmp_path / "t.csv").write_text("n,P,seconds\n1,64,0.1\n400,64,0.2\n800,64,0.35\n")
    words = [str(path), str(WESTMERE), str(tmp_path / "t.csv"), "a=3", "--json", "-o", str(tmp_path / "o.aspen")]
    assert main(["aspen", "fit", *words]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"parameters", "undetermined", "residuals"} and set(printed["parameters"]) == {"b", "c"}
    before, after = path.read_bytes().decode(), (tmp_path / "o.aspen").read_bytes().decode()
    b, c = (float(printed["parameters"][name]["value"]) for name in "bc")
    assert after == before.replace("b = 2 ", f"b = {b!r} ").replace("(1 +\r\n  1)", repr(c))
    again = aspen.read_application(str(tmp_path / "o.aspen"))
    assert again.cost(MACHINE, a=3, n=800, P=64).seconds == pytest.approx(
        0.35, rel=printed["residuals"]["largest"] + 1e-9
    )
    assert main(["aspen", "fit", *words[:-1], str(path)]) == 2
    assert "refusing to overwrite an input file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("n,second\n1,2\n", "t.csv:1: no parameter or figure is called 'second'; did you mean 'seconds'?"),
        ("n,P\n1,2\n", "t.csv:1: no column has figures; name one of seconds, flops, bytes, messages"),
        ("n,n,seconds\n1,2,3\n", "t.csv:1: two columns are called 'n'"),
        ("n,seconds\n1,2\n3\n", "t.csv:3: the line has 1 cells, but the first line has 2"),
        ("n,seconds\n1,two\n", "t.csv:2: 'two' in column 'seconds' is not a number"),
        ("n,seconds\n,2\n", "t.csv:2: column 'n' has no value"),
        ("n,seconds\n1,\n", "t.csv:2: the line has no measured figure; fill a column of seconds"),
        ("n,seconds\n1,-2\n", "t.csv:2: seconds of -2; relative errors need figures above 0"),
        ("n,seconds\n", "t.csv:1: the table has no measurements"),
        ("", "t.csv:1: the table is empty"),
        ("n,seconds,machine\n1,2,x.aspen\n", "t.csv:2: no file 'x.aspen' beside"),
        ("a,b,c,n,seconds\n1,2,3,4,5\n", "a.aspen:7: no parameter to fit: each one lacks a range"),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: pathlib.Path, table: str, expected: str) -> None:
    with pytest.raises(AspenError) as caught:
        fitted(tmp_path, MODEL, table)
    assert str(caught.value).startswith(f"{tmp_path}/{expected}")
