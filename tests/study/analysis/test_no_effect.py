"""Factors without effect, and the agreement of a study, its what-if and a direct pair of runs."""

from pathlib import Path

import pytest

import pysmpi
from pysmpi.cli.main import main
from pysmpi.study.analysis import factors_without_effect
from pysmpi.study.results_table import Table

PROGRAM = """
import sys
import pysmpi
from mpi4py import MPI
pysmpi.{work}
MPI.COMM_WORLD.Allreduce(bytearray(8000), bytearray(8000))
"""
STUDY = """
program = "program.py"
platform = "flat:4:speed={{speed}}:bw={{bandwidth}}"
fixed = { ranks = 4, cfg = { "smpi/simulate-computation" = "no", "smpi/host-speed" = "1Gf" } }
factors = { platform = { speed = ["10Gf", "20Gf"], bandwidth = ["1Gbps", "2Gbps"] } }
"""


def written(folder: Path, work: str) -> str:
    (folder / "program.py").write_text(PROGRAM.format(work=work))
    (folder / "study.toml").write_text(STUDY)
    return str(folder / "study.toml")


MEMORY = "folded_empty(1000_000).sum()"


@pytest.mark.parametrize("work", ["execute_flops(1e7)", MEMORY])
def test_a_study_agrees_with_what_if(tmp_path: Path, work: str) -> None:
    study = pysmpi.Study.read(written(tmp_path, work))
    table = study.run(tmp_path / "results")
    time = {(row["platform.speed"], row["platform.bandwidth"]): row["simulated_time"] for row in table}
    found = pysmpi.what_if(
        str(tmp_path / "program.py"), ["speed*2", "bandwidth*2"], np=4, platform="flat:4:speed=10Gf:bw=1Gbps",
        cfg={"smpi/simulate-computation": "no"},
    )  # fmt: skip
    assert found["speed*2"].simulated_time == pytest.approx(time["20Gf", "1Gbps"], rel=1e-9)
    assert found["bandwidth*2"].simulated_time == pytest.approx(time["10Gf", "2Gbps"], rel=1e-9)
    assert factors_without_effect(table, "simulated_time") == (["platform.speed"] if work == MEMORY else [])
    assert any("speed*2: no effect" in line for line in found.lines()) is (work == MEMORY)


def test_effects_name_the_reason(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    study = written(tmp_path, MEMORY)
    assert main(["study", "run", study, "--quiet"]) == 0
    picture = tmp_path / "tornado.svg"
    assert main(["study", "effects", study, "--plot", str(picture)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert any(line.split()[:3] == ["platform.speed", "no", "effect"] for line in lines)
    (reason,) = [line for line in lines if line.startswith("platform.speed: no effect, simulated_time is the same")]
    assert "of the ranks' time is memory traffic" in reason
    assert "no effect: --cfg=smpi/host-speed:1Gf: no computation was measured" in lines
    assert "no effect" in picture.read_text()


def test_search_names_the_reason(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    study = Path(written(tmp_path, MEMORY))
    text = study.read_text().replace("{{bandwidth}}", "1Gbps").replace(', bandwidth = ["1Gbps", "2Gbps"]', "")
    study.write_text(text)
    assert main(["study", "search", str(study)]) == 0
    assert "platform.speed: no effect, simulated_time is the same to nine digits" in capfd.readouterr().out


def test_only_points_that_differ_in_one_factor_are_compared() -> None:
    rows = [
        {"a": a, "b": b, "replicate": 1, "status": "done", "simulated_time": time}
        for a, b, time in ((1, 1, 2.0), (2, 1, 2.0), (1, 2, 3.0), (2, 2, 3.0))
    ]
    assert factors_without_effect(Table(rows, ["a", "b"]), "simulated_time") == ["a"]
    assert factors_without_effect(Table([rows[0], rows[3]], ["a", "b"]), "simulated_time") == []
