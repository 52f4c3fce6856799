"""The command pysmpi-calibrate blas: files, resumption and errors."""

import importlib
import pathlib

import pytest

from pysmpi.cli.calibrate.main import main
from pysmpi.compute.blas import load

SMALL = ["--sizes", "6", "--repetitions", "3", "--largest", "24", "--routines", "dgemm", "daxpy"]


def test_measured_fitted_and_fitted_again(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Table, model, report and plots; a second run measures nothing, and a fit to the table alone is the same."""
    model = tmp_path / "model.json"
    assert main(["blas", *SMALL, "--output", str(model)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"model.{end}" for end in ("csv", "json", "png", "txt")]
    assert set(load(model).routines) == {"dgemm", "daxpy"}
    report = (tmp_path / "model.txt").read_text()
    assert "machine: " in report and "dgemm: m " in report and "95 % intervals" in report
    table, first = (tmp_path / "model.csv").read_bytes(), model.read_bytes()
    assert main(["blas", *SMALL, "--output", str(model)]) == 0
    assert main(["blas", "--from", str(tmp_path / "model.csv"), "--output", str(tmp_path / "again.json")]) == 0
    assert (tmp_path / "model.csv").read_bytes() == table
    assert model.read_bytes() == first == (tmp_path / "again.json").read_bytes()
    assert "of which 36 are in" in capsys.readouterr().err


def test_an_interrupted_run_keeps_what_it_measured(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C leaves the table, and no model; the same command goes on."""
    taken: list[object] = []

    def interrupted(*arguments: object) -> float:
        taken.append(arguments)
        if len(taken) == 5:
            raise KeyboardInterrupt
        return 1e-6

    model = tmp_path / "model.json"
    with monkeypatch.context() as patched:
        patched.setattr(importlib.import_module("pysmpi.calibrate.blas.measure"), "_seconds", interrupted)
        assert main(["blas", *SMALL, "--output", str(model)]) == 130
    assert not model.exists()
    assert (tmp_path / "model.csv").read_text().count("1e-06\n") == 4
    assert "the same command goes on from there" in capsys.readouterr().err
    assert main(["blas", *SMALL, "--output", str(model)]) == 0
    assert model.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["blas"], "the following arguments are required: --output"),
        (["blas", "--output", "model.xml"], "'model.xml' is not valid; the model's name must end in .json"),
        (["blas", "--output", "none/model.json"], "folder 'none' does not exist"),
        (["blas", "--output", "m.json", "--routines", "dgemmm"], "unknown routine 'dgemmm'; did you mean 'dgemm'"),
        (["blas", "--output", "m.json", "--size", "3"], "unknown option '--size'; did you mean --sizes?"),
        (["blas", "--output", "m.json", "--sizes", "0"], "0 is not above 0"),
        (["blas", "--output", "m.json", "--memory", "1 lot"], "option --memory: "),
        (
            ["blas", "--output", "m.json", "--clock", "processor", "--threads", "2"],
            "'processor' measures one thread only",
        ),
        (["blas", "--output", "m.json", "--from", "none.csv"], "cannot read the measurements 'none.csv'"),
        (["plas"], "unknown part 'plas'; did you mean 'blas'"),
        (["--hepl"], "unknown option '--hepl'; did you mean '--help'"),
    ],
)
def test_errors(
    words: list[str],
    message: str,
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("pysmpi-calibrate") and ": error: " in error and message in error
    assert not list(tmp_path.iterdir())


def test_a_bad_table_leaves_the_model(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that is there is not touched when the new one cannot be made."""
    (tmp_path / "bad.csv").write_text("routine,m,n,k,seconds\ndaxpy,,8,,-1\n")
    (tmp_path / "model.json").write_text("a good one")
    words = ["blas", "--from", str(tmp_path / "bad.csv"), "--output", str(tmp_path / "model.json")]
    assert main(words) == 2
    assert "bad.csv:2: seconds: -1 is not valid" in capsys.readouterr().err
    assert (tmp_path / "model.json").read_text() == "a good one"


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["--help"]) == 0
    assert "usage: pysmpi-calibrate PART" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("pysmpi-calibrate ")
