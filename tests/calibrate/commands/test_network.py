"""The command pysmpi-calibrate network: under a real MPI, under pysmpirun, from a table, and errors."""

import json
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from pysmpi.calibrate.commands.main import main

QUICK = ["--force", "--sizes", "12", "--repetitions", "2", "--largest", "64KiB"]  # tests run on busy machines
COMMAND = [sys.executable, "-m", "pysmpi.calibrate.commands.main", "network"]


def started(ranks: int, *words: str) -> "subprocess.CompletedProcess[str]":
    """The command under a real MPI."""
    mpiexec = shutil.which("mpiexec", path=str(pathlib.Path(sys.executable).parent)) or shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("there is no mpiexec here")
    command = [mpiexec, "-n", str(ranks), *COMMAND, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def test_under_a_real_mpi(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Table, settings, report and plots; a fit to the table alone is the same, and a second run measures nothing."""
    done = started(2, *QUICK, "--output", str(tmp_path / "net.json"))
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"net.{end}" for end in ("csv", "json", "png", "txt")]
    document = json.loads((tmp_path / "net.json").read_text())
    assert set(document["links"]) == {"intra"} and "smpi/os" in document["settings"]
    assert "--cfg=smpi/lat-factor:" in (tmp_path / "net.txt").read_text()
    table = (tmp_path / "net.csv").read_bytes()
    assert started(2, *QUICK, "--output", str(tmp_path / "net.json")).returncode == 0
    assert (tmp_path / "net.csv").read_bytes() == table
    assert (
        main(["network", "--from", str(tmp_path / "net.csv"), "--force", "--output", str(tmp_path / "again.json")]) == 0
    )
    assert json.loads((tmp_path / "again.json").read_text()) == document


def test_one_rank_is_not_enough(tmp_path: pathlib.Path) -> None:
    """The message says how to start it, once, and nothing is written."""
    done = started(1, *QUICK, "--output", str(tmp_path / "net.json"))
    assert done.returncode == 2
    assert "error: messages need two ranks, but there is only one; run 'mpiexec -n 2" in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_error_at_rank_0_ends_all(tmp_path: pathlib.Path) -> None:
    """A table of another campaign: all ranks end, one of them tells, and the table stays."""
    (tmp_path / "net.csv").write_text("# part: blas\nroutine,seconds\n")
    done = started(3, *QUICK, "--output", str(tmp_path / "net.json"))
    assert done.returncode != 0
    assert done.stderr.count("error: ") == 1 and "net.csv:2: the column 'place' is missing" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["net.csv"]


@pytest.mark.smpi
def test_under_pysmpirun(pysmpirun: Callable[..., "subprocess.CompletedProcess[str]"], tmp_path: pathlib.Path) -> None:
    """A simulated network is calibrated by the same command."""
    script = "import sys\nfrom pysmpi.calibrate.commands.main import main\nsys.exit(main())\n"
    words = ["-np", "2", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/grow-injected-times:no", "program.py"]
    done = pysmpirun(*words, "network", *QUICK, "--output", str(tmp_path / "net.json"), source=script)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "net.json").read_text())["settings"]["smpi/send-is-detached-thresh"] == "65536"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--from", "none.csv", "--output", "net.json"], "cannot read the measurements 'none.csv'"),
        (["--from", "none.csv", "--output", "net.xml"], "'net.xml' is not valid; the model's name must end in .json"),
        (["--from", "none.csv", "--output", "net.json", "--latency", "-1"], "-1 is not above 0"),
        (["--from", "none.csv", "--output", "net.json", "--latency", "2u"], "time '2u' has an unknown unit 'u'"),
        (["--from", "bad.csv", "--output", "net.json", "--breakpoints", "1 lot"], "option --breakpoints: "),
        (["--from", "bad.csv", "--output", "net.json"], "bad.csv:2: inter: a fit needs pingpong at 4"),
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
    (tmp_path / "bad.csv").write_text("place,call,bytes,delay,seconds\ninter,pingpong,8,,1e-6\n")
    assert main(["network", *words]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_the_processor_clock(tmp_path: pathlib.Path) -> None:
    """Under a real MPI whose ranks poll, times of the processor's clock fit as those of the wall clock do."""
    done = started(2, *QUICK, "--clock", "processor", "--output", str(tmp_path / "net.json"))
    assert done.returncode == 0, done.stderr
    assert "clock='processor'" in json.loads((tmp_path / "net.json").read_text())["provenance"]["options"]
    assert main(["network", "--clock", "sundial", "--output", str(tmp_path / "x.json")]) == 2
