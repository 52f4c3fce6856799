"""Some of mpi4py's demos and its tutorial; `make mpi4py-demos` runs all."""

import os
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parents[2] / "tools" / "mpi4py_demos.py"
DEMOS = (
    "compute-pi/cpi-dpm|init-fini/test_[356]|spawning/|futures/service.py ''|futures/-m mpi4py.futures run_cpi"
    "|-m mpi4py.bench helloworld|tutorial/.*1[0-9]"
)
RUNS = 29


@pytest.mark.timeout(600)  # of a loaded machine: idle, it takes a twentieth of that
def test_demos_print_what_they_print_under_a_real_mpi() -> None:
    """None of them fails, and as many are run as there are."""
    command = [sys.executable, str(TOOL), "--verbose", "--include", f"^({DEMOS})"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode == 3:
        pytest.skip(ended.stderr.strip())
    assert ended.returncode == 0, ended.stdout + ended.stderr
    last = next(line for line in reversed(ended.stdout.splitlines()) if line.endswith("demos skipped"))
    assert last == f"{RUNS} runs, 0 failed; 0 demos skipped"
