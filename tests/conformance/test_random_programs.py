"""Random programs, held against the data that MPICH gave them; `make random-programs` makes more beside MPICH."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent / "random_programs"


@pytest.mark.timeout(600)  # of a loaded machine
def test_random_programs_have_the_data_of_mpich() -> None:
    """With and without `--check`, which finds nothing."""
    command = [sys.executable, str(FOLDER / "compare.py"), "--stored", str(FOLDER / "mpich.json"), "--programs", "24"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
