"""The commands pysmpi-calibrate host and power."""

import json
import pathlib

import pytest

from pysmpi.calibrate.commands.main import main
from pysmpi.calibrate.power import rapl


def test_host_from_a_table(tmp_path: pathlib.Path) -> None:
    """Model, report and plots of figures that were measured before, or elsewhere."""
    rows = ["figure,bytes,cores,amount,seconds", "speed,,1,2e9,0.1", "new memory,,1,1,1", "new huge memory,,1,1,1",
            "buffering,,1,1,1", "bandwidth,131072,1,6e10,1", "bandwidth,1048576,1,3e10,1",
            "call,,1,1,1e-7"]  # fmt: skip
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    assert main(["host", "--from", str(tmp_path / "t.csv"), "--output", str(tmp_path / "host.json")]) == 0
    document = json.loads((tmp_path / "host.json").read_text())
    assert document["format"] == "pysmpi-host-1" and document["speed"] == 2e10
    assert "100 ns" in (tmp_path / "host.txt").read_text()
    assert (tmp_path / "host.png").stat().st_size > 1000


def test_power_from_a_wattmeter(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Model, report and plots."""
    (tmp_path / "t.csv").write_text("cores,watts\n0,10\n1,20\n4,50\n")
    assert main(["power", "--from", str(tmp_path / "t.csv"), "--output", str(tmp_path / "power.json")]) == 0
    assert json.loads((tmp_path / "power.json").read_text())["wattage_per_state"] == "10:10:50"
    assert '<prop id="wattage_per_state" value="10:10:50"/>' in (tmp_path / "power.txt").read_text()
    assert "10:10:50 W" in capsys.readouterr().err


def test_power_without_counters(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clear message, and no file."""
    monkeypatch.setattr(rapl.Counters.find.__func__, "__defaults__", (tmp_path / "none",))
    assert main(["power", "--output", str(tmp_path / "power.json")]) == 2
    assert "error: no energy counters (RAPL) found" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
