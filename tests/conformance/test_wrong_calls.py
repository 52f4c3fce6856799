"""A sample of wrong calls, held against MPICH's error classes; `make wrong-calls` makes all of them."""

import os
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parent / "wrong_calls" / "compare.py"


@pytest.mark.timeout(600)  # of a loaded machine
def test_sample_of_wrong_calls() -> None:
    """No crash, and each call that fails under MPICH fails here."""
    command = [sys.executable, str(TOOL), "--sample", "5", "--patience", "300"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
