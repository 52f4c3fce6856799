"""pysmpi study."""

import pathlib

import pytest

from pysmpi.cli.main import main
from pysmpi.study import Study
from pysmpi.study.store import Store

PLATFORM = "torus:2,2:bw={{bandwidth}}"
STUDY = f"""\
program = "program.py"
platform = "{PLATFORM}"
fixed = {{ ranks = 4, cfg = {{ "smpi/simulate-computation" = "no" }} }}
factors = {{ platform = {{ bandwidth = ["1GBps", "2GBps"] }} }}
"""


@pytest.fixture
def study(tmp_path: pathlib.Path) -> str:
    """The path of a small study."""
    (tmp_path / "program.py").write_text("from mpi4py import MPI\nMPI.COMM_WORLD.bcast(b'x' * 10**6)\n")
    (tmp_path / "study.toml").write_text(STUDY)
    return str(tmp_path / "study.toml")


def test_from_points_to_a_table(study: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Points are listed, run and exported, and status says where it stands."""
    assert main(["study", "points", study]) == 0
    assert "    2          1  2GBps" in capfd.readouterr().out
    assert main(["study", "status", study]) == 0
    assert "2 points: 2 missing" in capfd.readouterr().out
    assert main(["study", "run", study]) == 0
    told = capfd.readouterr()
    assert "2 points: 2 done; the table: " in told.out
    assert "0 of 2 points done, " in told.err
    table = pathlib.Path(study).with_name("table.csv")
    assert main(["study", "export", study, str(table)]) == 0
    assert table.read_text().count("done") == 2
    picture = table.with_name("effects.svg")
    assert main(["study", "effects", study, "--plot", str(picture)]) == 0
    assert "platform.bandwidth  100.0%  1GBps" in capfd.readouterr().out
    assert picture.exists()
    prices = ["--price", "platform.bandwidth=1GBps:50", "--price", "platform.bandwidth=2GBps:60"]
    assert main(["study", "pareto", study, "--link", "50", "--switch", "1", *prices]) == 0
    assert capfd.readouterr().out.splitlines()[1].split()[:2] == ["*", "800"]
    assert main(["study", "search", study]) == 0
    assert "platform.bandwidth = 2GBps: simulated_time" in capfd.readouterr().out


def test_points_measured_on_a_busy_machine(study: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Run and status list them, and the table has the figures."""
    assert main(["study", "run", study, "--quiet"]) == 0
    assert "busy" not in capfd.readouterr().out
    results = pathlib.Path(study).with_suffix(".results")
    store, point = Store(results), Study.read(study).plan()[1]
    record = store.read(point.key)
    assert record is not None
    store.write(point.key, record | {"busy": "processor time is 25% of the wall time"})
    assert main(["study", "status", study]) == 0
    assert capfd.readouterr().out.splitlines()[1] == (
        "1 point measured on a busy or throttled machine (column busy): 2; "
        "point 2: processor time is 25% of the wall time"
    )


def test_ctrl_c(study: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pysmpi.study.study_run.run", interrupted)
    assert main(["study", "run", study]) == 130
    assert "stopped; finished results are kept, and the same command continues" in capfd.readouterr().err


def test_points_that_are_no_machines(study: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = pathlib.Path(study)
    path.write_text(path.read_text().replace('"2GBps"', '"2GBps", "2GB"'))
    assert main(["study", "run", study]) == 1
    assert main(["study", "pareto", study, "--node", "1", "--price", "platform.bandwidth=free"]) == 0
    assert main(["study", "effects", study]) == 0
    told = capfd.readouterr().out
    assert "means of simulated_time over 2 of 3 points" in told
    assert told.count("GBps") == 4


def test_failures_are_told(study: str, capfd: pytest.CaptureFixture[str]) -> None:
    pathlib.Path(study).with_name("program.py").write_text("import sys; sys.exit(3)\n")
    for command in (["run", "--quiet"], ["status"]):
        assert main(["study", command[0], study, *command[1:]]) == 1
        told = capfd.readouterr()
        assert "2 points: 2 failed" in told.out
        assert "point 2 (platform.bandwidth=2GBps): the program ended with status 3" in told.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "missing.toml"], "cannot read 'missing.toml': No such file"),
        (["rum", "x.toml"], "did you mean 'run'"),
        (["run", "STUDY", "--engine", "locl"], "unknown engine 'locl'; did you mean 'local'?"),
        (["run", "STUDY", "--parallel", "0"], "option --parallel: 0 is not a whole number"),
        (["pareto", "STUDY"], "give one kind of cost: prices (--node"),
        (["pareto", "STUDY", "--node", "nan"], "option --node: nan is not a price"),
        (["pareto", "STUDY", "--node", "1", "--against", "energy"], "give one kind of cost"),
        (["pareto", "STUDY", "--price", "platform.bandwidth=900"], "write FACTOR=VALUE:PRICE"),
        (["pareto", "STUDY", "--price", "platform.bandwith=1GBps:9"], "did you mean 'platform.bandwidth'"),
        (["search", "STUDY", "--within", "-5"], "option --within: -5 is not a percentage"),
        (["effects", "STUDY"], "the study has no finished point yet"),
        (["export", "STUDY", "table.txt"], "unknown format '.txt'"),
    ],
)
def test_usage_errors(study: str, capfd: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["study", *(study if word == "STUDY" else word for word in words)]) == 2
    assert message in capfd.readouterr().err
