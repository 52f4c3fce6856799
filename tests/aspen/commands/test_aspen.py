"""The command ``pysmpi aspen``: output, JSON and exit status."""

import json
import pathlib

import pytest

from pysmpi.cli.main import main

MODELS = pathlib.Path(__file__).parents[3] / "models"
FFT, KEENELAND = str(MODELS / "fft3d.aspen"), str(MODELS / "machines" / "keeneland.aspen")
WESTMERE = str(MODELS / "machines" / "westmere.aspen")


def test_check(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each file; warnings leave the status 0, and a mistake is one line and status 2."""
    assert main(["aspen", "check", FFT, KEENELAND]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{FFT}: application: 4 parameters, 1 data statement, 3 kernels, 2 control flows\n")
    assert printed.out.count("\n") == 2 and printed.err == ""
    path = tmp_path / "a.aspen"
    path.write_text("param length = lenght\n")
    assert main(["aspen", "check", str(path)]) == 0
    assert capsys.readouterr().err == f"{path}:1: warning: 'lenght' is not defined; did you mean 'length'?\n"
    path.write_text("param n = 1\nkernel k { exposes parallelism 3 }\n")
    assert main(["aspen", "check", str(path), FFT]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"{path}:2: expected '[', not '3'\n" and printed.out.startswith(FFT)


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aspen", "info", FFT, "n=8192", "P=1024", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    local = found["kernels"]["localFFT"]
    assert local["flops"] == 8192**2 * 532480 and local["intensity"] == pytest.approx(0.644841, abs=1e-6)
    assert local["traits"] == {"flops": {"dp, simd": local["flops"]}} and local["parallelism"] == 8192**2
    assert found["controls"]["pencil"]["messages"] == 2 * 8192**3 * 16
    assert found["data"] == {"fftVolume": 8192**3 * 16 / 1024} and found["data_bytes"] == 8192**3 * 16 / 1024
    assert main(["aspen", "info", FFT, "--formulas"]) == 0
    assert "  flops                 5*n^3*log2(n)\n" in capsys.readouterr().out
    assert main(["aspen", "info", f"{KEENELAND}:eccPenalty=1"]) == 0
    assert "  loads                    177.6 GB/s\n" in capsys.readouterr().out
    assert main(["aspen", "info", FFT]) == 2
    assert capsys.readouterr().err == f"{FFT}:23: 'P' is not defined; set it with P=VALUE\n"


def test_cost(capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each kernel, the total, and the warning that the data does not fit."""
    words = ["aspen", "cost", FFT, f"{KEENELAND}:numNodes=2048", "--socket", "westmere", "--control", "pencil"]
    assert main([*words, "n=2^16", "P=4096"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "rules: overlap (parallel parts overlap, a network connection for each rail of a node)" in lines
    assert sum(line.startswith("    kernel localFFT") for line in lines) == 3
    assert lines[-2].startswith("total: 2169.62731 s, bound by messages (computation 0 s, memory 1070.12 s, messages")
    assert lines[-1].endswith("would need 1,100 GB and has 12 GB; it fits from P = 375,300 on")
    assert main([*words, "n=2^16", "P=4096", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["seconds", "rules", "bound", "rows", "totals", "warnings"]
    assert found["warnings"][0]["least_processes"] == 375300 and found["bound"] == "messages"
    assert found["rows"][1]["name"] == "localFFT" and found["rows"][1]["place"] == f"{FFT}:15"
    assert main(["aspen", "cost", FFT, KEENELAND, "--control", "slab"]) == 2
    expected = f"{KEENELAND}:12: two kinds of sockets; choose one: --socket westmere, --socket fermi\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["info", FFT, "n"], "'n' is not of the form NAME=VALUE, such as n=2^16"),
        (["info", FFT, "m=3"], "no parameter is called 'm'"),
        (["info", KEENELAND, "--formulas"], "option --formulas needs an application"),
        (
            ["cost", FFT, KEENELAND, "--kernel", "a", "--control", "b"],
            "--control and --kernel cannot be given together",
        ),
        (["cost", FFT, KEENELAND, "--kernel", "exhange"], "no kernel is called 'exhange'; did you mean 'exchange'?"),
        (["check", "none.aspen"], "cannot read 'none.aspen'"),
    ],
)
def test_mistakes_in_words(capsys: pytest.CaptureFixture[str], words: list[str], expected: str) -> None:
    assert main(["aspen", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and expected in printed.err and printed.err.count("\n") == 1


def test_sweep(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["aspen", "sweep", FFT, WESTMERE, "--control", "pencil", "n=2^10..2^12:*2", "P=64,4096"]
    assert main([*words, "--of", "runtime,intensity"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "n,P,runtime,intensity" and len(lines) == 7 and lines[1].startswith("1024,64,0.3954")
    assert main([*words, "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [list(point) for point in points] == [["n", "P", "runtime"]] * 6
    table, picture = tmp_path / "fft.csv", tmp_path / "fft.svg"
    assert main([*words, "-o", str(table)]) == 0 and table.read_text().splitlines()[:2] == [
        "n,P,runtime", lines[1].rpartition(",")[0],
    ]  # fmt: skip
    pytest.importorskip("matplotlib")
    assert main([*words, "--plot", str(picture), "--along", "P", "--by", "n"]) == 0
    assert "<svg" in picture.read_text() and capsys.readouterr().out == ""


def test_a_range_in_the_model(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.aspen"
    path.write_text("param n = 8 in 2 .. 1024\nparam m = 2\nkernel main { execute [n] { flops [m] } }\n")
    assert main(["aspen", "sweep", str(path), WESTMERE, "n", "--of", "flops"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "2,4" and lines[-1].startswith("1024") and len(lines) == 11
    assert main(["aspen", "sweep", str(path), WESTMERE, "--of", "flops", "n=1,2", "numNodes=4,8"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["n,numNodes,flops", "1,4,2"]
    for word, expected in [
        ("m", f"{path}:2: parameter 'm' has no range; write m=FIRST..LAST:*FACTOR"),
        ("n=4..2:+1", "n=4..2:+1:1: the range ends at 2, before it begins at 4"),
        ("n=1..2", "n=1..2:1: a range needs a step or a factor, such as 1..10:+1 or 1..1024:*2"),
        ("n=1..2:*1", "n=1..2:*1:1: a factor needs to be above 1, and the first value above 0"),
        ("k=3", f"{path}:3: no parameter is called 'k' (valid: P, m, n)"),
    ]:
        assert main(["aspen", "sweep", str(path), WESTMERE, word]) == 2
        assert capsys.readouterr().err == f"{expected}\n"


def test_sensitivity(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["aspen", "sensitivity", FFT, WESTMERE, "--kernel", "localFFT", "P=1024"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["% of the time for 1 % of each parameter", "  n              +3.0000"]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["elasticities"]["westmereClock"] == 0
    pytest.importorskip("matplotlib")
    assert main([*words, "--plot", str(tmp_path / "tornado.svg")]) == 0
    assert "<svg" in (tmp_path / "tornado.svg").read_text()
