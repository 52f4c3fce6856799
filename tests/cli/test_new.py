"""pysmpi new: its files run as they are."""

import os
import pathlib
import subprocess
import sys

import pytest

from pysmpi.cli.main import main


def test_a_study(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    name = str(tmp_path / "first")
    assert main(["new", "study", name]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"first.toml", "first.py"}
    text = (tmp_path / "first.toml").read_text().replace("100_000", "1000").replace(', "10Gbps"', "")
    (tmp_path / "first.toml").write_text(text.replace('"sequential", ', ""))
    assert main(["study", "run", f"{name}.toml"]) == 0
    assert "2 points: 2 done" in capfd.readouterr().out


def test_a_program_on_a_platform(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The platform is valid, and the program runs on it."""
    assert main(["new", "platform", str(tmp_path / "machine")]) == 0
    assert main(["new", "app", str(tmp_path / "program")]) == 0
    assert main(["platform", "check", str(tmp_path / "machine.xml")]) == 0
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "8", "--platform", "machine.xml", "program.py"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("8 ranks: "), done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["study", "there"], "there.py' already exists; choose another name"),
        (["app", "missing/name"], "missing' does not exist"),
        (["app", "missing/.."], "is not a valid file name"),
        (["studdy", "x"], "did you mean 'study'?"),
    ],
)
def test_nothing_is_overwritten(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """Not even a part is written when something is in the way."""
    (tmp_path / "there.py").write_text("mine")
    assert main(["new", words[0], str(tmp_path / words[1])]) == 2
    assert message in capfd.readouterr().err
    assert [file.read_text() for file in tmp_path.iterdir()] == ["mine"]
