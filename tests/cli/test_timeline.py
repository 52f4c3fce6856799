"""The command pysmpi timeline."""

from pathlib import Path

import pytest

import pysmpi
from pysmpi.cli.main import main
from pysmpi.platform import Cluster


def test_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table becomes a picture; times may have units."""
    table, picture = str(tmp_path / "run.csv"), tmp_path / "run.png"
    pysmpi.simulate(pysmpi.execute, np=2, args=(1.0,), platform=Cluster(2), trace=table)
    assert main(["timeline", table, "--output", str(picture), "--begin", "100ms", "--end", "0.5"]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["timeline", table, "--output", str(picture), "--begin", "soon"]) == 2
    assert "--begin" in capsys.readouterr().err
