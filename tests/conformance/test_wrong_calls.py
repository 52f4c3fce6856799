"""A sample of wrong calls, held against error classes of MPICH and Open MPI; `make wrong-calls` makes all of them."""

import os
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parent / "wrong_calls" / "compare.py"


@pytest.mark.timeout(600)  # of a loaded machine
@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_sample_of_wrong_calls(library: str) -> None:
    """No crash, and each call that fails under the library fails here."""
    command = [sys.executable, str(TOOL), "--library", library, "--sample", "5", "--patience", "300"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
