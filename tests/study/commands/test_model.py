"""The command ``pysmpi study model``: formulas of measurements and of a study's figures."""

import itertools
import json
import math
import os
import pathlib
import sys

import pytest

from pysmpi.cli.main import main
from pysmpi.formulas import Series, read_extrap, read_models, write_extrap

POINTS = list(itertools.product((4, 8, 16, 32, 64), (256, 512, 1024, 2048, 4096)))

EXTRAP = f"""#!{sys.executable}
import json, sys
assert sys.argv[1] == "--json" and sys.argv[3] == "--print"
for callpath, metrics in json.load(open(sys.argv[2]))["measurements"].items():
    for metric in metrics:
        values = {{"callpath": callpath, "metric": metric, "smape": "4.0"}}
        values["model:python"] = "2.5+3*p**(1/2)*log2(n)**(1)"
        line = sys.argv[4]
        for key, value in values.items():
            line = line.replace("{{" + key + "}}", value)
        print(line)
"""

STUDY = """\
program = "program.py"
platform = "flat:64:bw=1GBps:lat=1us"
fixed = { cfg = { "smpi/simulate-computation" = "no" } }
arguments = ["{{n}}"]
[factors]
ranks = [2, 4, 8, 16]
arguments.n = [1, 2, 3, 4]
"""
PROGRAM = """\
import sys
from mpi4py import MPI
import pysmpi
n, world = int(sys.argv[1]), MPI.COMM_WORLD
if world.rank == 0:
    pysmpi.report(bytes=8 * n * world.size + 3)
"""


@pytest.fixture
def data(tmp_path: pathlib.Path) -> str:
    """The path of measurements: exact operations, and a time that no formula holds exactly."""
    path = tmp_path / "measurements.json"
    flops = [[1e5 * n * math.log2(n) * p**0.25 * math.log2(p)] for p, n in POINTS]
    time = [[0.01 * n * (1 + 0.02 * ((7 * p + n // 256) % 5))] for p, n in POINTS]
    series = [Series("main->sweep", "flops", POINTS, flops), Series("main", "time", POINTS, time)]
    write_extrap(path, ("p", "n"), series)
    return str(path)


def test_formulas_of_measurements(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The fastest-growing formula comes first; formulas that are not exact are marked at points far beyond the data."""
    assert main(["study", "model", "--data", data, "--at", "p=65536,n=1e6"]) == 0
    first, at, second, at_second = capsys.readouterr().out.splitlines()
    assert first.startswith("main->sweep, flops") and "100000·p¹ᐟ⁴·log2(p)·n·log2(n)" in first
    assert first.endswith("exact (25 points); ! grows as p¹ᐟ⁴·log2(p)")
    assert at.split() == ["at", "p", "=", "65536,", "n", "=", "1000000", "5.102481554e+14"]
    assert "extrapolated to p = 32, 64 and n = 2048, 4096 within " in second and "; farthest off at p = " in second
    assert at_second.endswith("! verify")


def test_json(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for _ in range(2):
        assert main(["study", "model", "--data", data, "--at", "p=64,n=10", "--at", "p=1,n=2", "--json"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    flops, time = json.loads(outputs[0])["models"]
    assert list(flops) == ["callpath", "metric", "formula", "exact", "error", "points", "at"]
    assert flops["formula"] == "100000*p**0.25*log2(p)*n*log2(n)" and flops["exact"] and flops["points"] == 25
    assert flops["at"][1] == {"p": 1, "n": 2, "value": 0}
    assert time["callpath"] == "main" and not time["exact"] and 0.01 < time["error"] < 0.5


def test_one_metric(data: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy.json"
    assert main(["study", "model", "--data", data, "--of", "flops", "--to-extrap", str(copy)]) == 0
    assert capsys.readouterr().out.count("\n") == 1
    assert [each.metric for each in read_extrap(copy)[1]] == ["flops"]


def test_pictures(data: str, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "models.svg"
    assert main(["study", "model", "--data", data, "--plot", str(picture), "--at", "p=1024,n=4096"]) == 0
    assert "<svg" in picture.read_text()


def test_extrap_as_the_engine(
    data: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Extra-P's command gets the measurements, and its formulas are printed with its own error."""
    command = tmp_path / "bin" / "extrap"
    command.parent.mkdir()
    command.write_text(EXTRAP)
    command.chmod(0o755)
    words = ["study", "model", "--data", data, "--engine", "extrap", "--of", "time"]
    monkeypatch.setenv("PATH", "/nonexistent")
    assert main(words) == 2
    assert "Extra-P's command 'extrap' is not installed" in capsys.readouterr().err
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.defpath}")
    assert main(words) == 0
    assert "by Extra-P, fitted with a mean error of 4 %" in capsys.readouterr().out
    assert main([*words, "--json", "--at", "p=4,n=16"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["models"]
    assert found["error"] == 0.04 and not found["exact"] and found["at"] == [{"p": 4, "n": 16, "value": 26.5}]


def test_formulas_of_a_study(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Ranks are p, other factors keep their names; a file of models is written beside the study."""
    (tmp_path / "program.py").write_text(PROGRAM)
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    assert main(["study", "model", str(path)]) == 2
    assert "no point of the study is finished; run 'pysmpi study run' first" in capfd.readouterr().err
    assert main(["study", "model", str(path), "--off", "metric.bytes"]) == 2
    assert "unknown option '--off'; did you mean --of? (valid: --help, --results" in capfd.readouterr().err
    assert main(["study", "run", str(path), "--quiet"]) == 0
    assert main(["study", "model", str(path), "--of", "metric.bytes", "--json"]) == 0
    printed = capfd.readouterr().out.splitlines()[-1]
    (found,) = json.loads(printed)["models"]
    assert list(found) == ["metric", "of", "kind", "formula", "exact", "error", "unit", "points", "at"]
    assert found["formula"] == "8*p*arguments.n + 3" and found["exact"] and found["points"] == 16
    assert not path.with_name("study.models.toml").exists()
    assert main(["study", "model", str(path)]) == 0
    printed = capfd.readouterr()
    assert f"formulas: {path.with_name('study.models.toml')}" in printed.out
    assert "note: p has 4 values; 5 or more tell how figures grow in it" in printed.err
    models = read_models(path.with_name("study.models.toml"))["study"]
    assert models["metric.bytes"].exact and models["metric.bytes"].expression.text == "8*p*arguments.n + 3"
    assert main(["study", "model", str(path), "--of", "metric.byte"]) == 2
    assert "unknown metric or column 'metric.byte'; did you mean 'metric.bytes'?" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "give a study, or measurements by --data FILE"),
        (["a.toml", "--data", "DATA"], "give a study, or measurements by --data FILE"),
        (["--data", "DATA", "--of", "flps"], "option --of: unknown metric 'flps'; did you mean 'flops'?"),
        (["--data", "DATA", "--at", "p=3"], "option --at: 'p=3' has no n"),
        (["--data", "DATA", "--at", "p=3,m=4"], "option --at: unknown parameter 'm'"),
        (["--data", "DATA", "--at", "p=3,n=-4"], "option --at: 'n=-4' is not valid"),
        (["--data", "DATA", "--engine", "extra"], "unknown --engine 'extra'; did you mean 'extrap'?"),
        (["--data", "DATA", "--plot", "x.gif"], "unknown format of a picture 'gif'"),
    ],
)
def test_mistakes(data: str, capsys: pytest.CaptureFixture[str], words: list[str], expected: str) -> None:
    assert main(["study", "model", *(data if word == "DATA" else word for word in words)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and expected in printed.err


def test_mistakes_in_data_name_the_line(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"parameters": ["p"],\n "measurements": }')
    assert main(["study", "model", "--data", str(path)]) == 2
    assert capsys.readouterr().err == f"{path}:2: not valid JSON: Expecting value\n"


def test_mistakes_in_a_study_name_the_line(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.toml"
    path.write_text('platform = "flat:1"\nprogram = 5\n')
    for command in ("run", "model", "verify", "points"):
        assert main(["study", command, str(path)]) == 2
        printed = capsys.readouterr().err
        assert printed.startswith(f"{path}:2: ") and printed.count("\n") == 1
