"""The command pysmpi-calibrate noise."""

import json
from pathlib import Path

import pytest

from pysmpi.calibrate.commands.main import main


def test_noise_from_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Model, report and plot of detours that were measured before, or elsewhere."""
    (tmp_path / "t.csv").write_text("core,quanta,usual,threshold,detours\n0,100000,1e-5,1e-6,2e-6 4e-6\n")
    assert main(["noise", "--from", str(tmp_path / "t.csv"), "--output", str(tmp_path / "noise.json")]) == 0
    document = json.loads((tmp_path / "noise.json").read_text())
    assert document["rate"] == pytest.approx(2) and document["lengths"] == [2e-6, 4e-6]
    assert "2 detours a second" in (tmp_path / "noise.txt").read_text()
    assert (tmp_path / "noise.png").stat().st_size > 1000
    assert "noise.json: 2 detours a second on a core" in capsys.readouterr().err


def test_noise_of_this_host(tmp_path: Path) -> None:
    assert main(["noise", "--force", "--seconds", "1", "--output", str(tmp_path / "noise.json")]) == 0
    assert json.loads((tmp_path / "noise.json").read_text())["rate"] > 0
