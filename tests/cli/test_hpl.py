"""pysmpi hpl: Linpack in one command."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from pysmpi.cli import hpl
from pysmpi.util.shipped import shipped


def run(words: list[str], folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_as_by_pysmpirun(tmp_path: pathlib.Path) -> None:
    own = ["--n", "600", "--nb", "60", "--p", "2", "--q", "3"]
    command = [sys.executable, "-m", "pysmpi.cli.main", "hpl", "--platform", "cluster", *own]
    program = str(shipped("apps") / "hpl" / "hpl.py")
    whole = [sys.executable, "-m", "pysmpi.cli.run", "-np", "6", "--platform", "cluster", program, *own]
    module = [sys.executable, str(shipped("apps") / "hpl"), *command[4:]]
    rows = []
    for words in (command, whole, module):
        done = run(words, tmp_path)
        assert done.returncode == 0, done.stderr
        rows.append(re.search(r"^W\w+ +600 +60 +2 +3 .*$", done.stdout, re.M))
    assert rows[0] is not None
    assert [row and row[0] for row in rows] == [rows[0][0]] * 3


def test_help_describes_both(tmp_path: pathlib.Path) -> None:
    done = run([sys.executable, "-m", "pysmpi.cli.main", "hpl", "--help"], tmp_path)
    assert done.returncode == 0
    assert "usage: pysmpi hpl" in done.stdout
    assert "--efficiency SHARE" in done.stdout


@pytest.mark.parametrize(
    ("words", "simulation", "linpack"),
    [
        (["-np", "4", "--n", "9"], ["-np", "4"], ["--n", "9"]),
        (["--n=9", "--platform=x", "--quiet"], ["--platform=x", "--quiet"], ["--n=9"]),
        (["HPL.dat", "--seed", "3", "--exact"], ["--seed", "3"], ["HPL.dat", "--exact"]),
        (["-n", "4", "--unknown", "x"], ["-n", "4"], ["--unknown", "x"]),
        (["--n", "9", "-np"], ["-np"], ["--n", "9"]),
    ],
)
def test_options_are_separated(words: list[str], simulation: list[str], linpack: list[str]) -> None:
    assert hpl._separated(words) == (simulation, linpack)


@pytest.mark.parametrize(
    ("words", "ranks"), [(["--p", "2", "--q=3"], 6), (["--p", "2"], None), (["--p", "x", "--q", "2"], None), ([], None)]
)
def test_ranks_of_the_grid(words: list[str], ranks: int | None) -> None:
    assert hpl._ranks_of_grid(words) == ranks


def test_errors_name_the_command(tmp_path: pathlib.Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pysmpi.cli.main", "hpl", "--n", "100", "-np", "0"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (2, "pysmpi hpl: error: option -np: '0' is too small (valid: 1 or more)\n")
