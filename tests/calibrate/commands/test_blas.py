"""The command pysmpi-calibrate blas: files, resumption and errors."""

import importlib
import math
import os
import pathlib

import pytest

import pysmpi
from pysmpi.calibrate.blas.measure import Point
from pysmpi.calibrate.commands.main import main
from pysmpi.simulation.compute.blas import load, load_table

SMALL = ["--force", "--sizes", "6", "--repetitions", "3", "--largest", "24", "--routines", "dgemm", "daxpy"]


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
    assert (
        main(["blas", "--from", str(tmp_path / "model.csv"), "--force", "--output", str(tmp_path / "again.json")]) == 0
    )
    assert (tmp_path / "model.csv").read_bytes() == table
    assert model.read_bytes() == first == (tmp_path / "again.json").read_bytes()
    assert "of which 36 are in" in capsys.readouterr().err


def test_an_interrupted_run_keeps_what_it_measured(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C leaves the table, and no model; the same command goes on."""
    taken: list[Point] = []

    def interrupted(point: Point, clock: str) -> float:
        taken.append(point)
        if len(taken) == 5:
            raise KeyboardInterrupt
        return 1e-6 + 1e-9 * math.prod(dict(point.sizes).values())

    model = tmp_path / "model.json"
    with monkeypatch.context() as patched:
        patched.setattr(importlib.import_module("pysmpi.calibrate.blas.measure"), "_seconds", interrupted)
        assert main(["blas", *SMALL, "--output", str(model)]) == 130
        assert not model.exists()
        assert (tmp_path / "model.csv").read_text().count("e-06\n") == 4
        assert "run the same command again to continue" in capsys.readouterr().err
        assert main(["blas", *SMALL, "--output", str(model)]) == 0
    assert model.exists()
    assert len(taken) == 1 + (tmp_path / "model.csv").read_text().count("e-06\n")


def test_all_cores_at_once(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each core has a model; a second run measures nothing, and other commands accept the table."""
    output = tmp_path / "table.json"
    assert main(["blas", *SMALL, "--per-core", "--output", str(output)]) == 0
    cores = sorted(os.sched_getaffinity(0))
    assert f"models of {len(cores)} cores" in capsys.readouterr().err
    table = load_table(output)
    assert table.routines == {"dgemm", "daxpy"} and len(table.models) == len(cores)
    assert table.model_of("any", 0) is table.models[f"core {cores[0]}"]
    first = output.read_bytes()
    assert main(["blas", *SMALL, "--per-core", f"--output={output}"]) == 0
    assert output.read_bytes() == first
    assert pysmpi.simulate(max, np=1, platform="flat:1", args=(1, 2), blas=output).values == [2]


def test_a_core_whose_measurement_fails(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blas", "--per-core", "--routines", "dgemmm", "--output", str(tmp_path / "table.json")]) != 0
    said = capsys.readouterr().err
    assert "the measurement on core" in said and "unknown routine 'dgemmm'; did you mean 'dgemm'" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["blas", "--per-core", "--threads", "2", "--output", "m.json"], "option --per-core: not with --threads"),
        (["blas", "--per-core", "--from", "m.csv", "--output", "m.json"], "option --per-core: not with --from"),
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
