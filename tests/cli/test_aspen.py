"""The command ``pysmpi aspen``: output, JSON and exit status."""

import pathlib

import pytest

from pysmpi.cli.main import main

MODELS = pathlib.Path(__file__).parents[2] / "models"
FFT, KEENELAND = str(MODELS / "fft3d.aspen"), str(MODELS / "machines" / "keeneland.aspen")


def test_check(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each file; warnings leave the status 0, and a mistake is one line and status 2."""
    assert main(["aspen", "check", FFT, KEENELAND]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{FFT}: application: 4 parameters, 1 data statement, 3 kernels, 2 control flows\n")
    assert printed.out.count("\n") == 2 and printed.err == ""
    path = tmp_path / "a.aspen"
    path.write_text("param length = lenght\n")
    assert main(["aspen", "check", str(path)]) == 0
    assert capsys.readouterr().err == f"{path}:1: warning: nothing is called 'lenght'; did you mean 'length'?\n"
    path.write_text("param n = 1\nkernel k { exposes parallelism 3 }\n")
    assert main(["aspen", "check", str(path), FFT]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"{path}:2: expected '[', not '3'\n" and printed.out.startswith(FFT)
