"""A fast part of mpi4py's own test suite; `make mpi4py-suite` runs the whole at several sizes."""

import os
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parents[2] / "tools" / "mpi4py_suite.py"
MODULES = (
    "attributes|comm_inter|comm_topo|cco_obj|cco_obj_inter|cco_pr_ngh_buf|dynproc|errhandler|file|group|msgzero|p2p_obj"
    "|pickle|session|spawn|threads|ulfm|util_pkl5|util_pool|util_sync|win"
)
EXECUTED, SKIPPED = 808, 35  # skipped: the half of pkl5 for one rank, process pools on more, three of fault tolerance


@pytest.mark.timeout(600)  # of a loaded machine: idle, it takes a fiftieth of that
def test_fast_part_on_three_ranks() -> None:
    """All that a real MPI passes is passed, and as many tests are executed as there are: none turns into a skip."""
    command = [sys.executable, str(TOOL), "--sizes", "3", "--include", f"^test_({MODULES})$"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode == 3:
        pytest.skip(ended.stderr.strip())
    assert ended.returncode == 0, ended.stdout + ended.stderr
    ranks, run, executed, skipped = ended.stdout.splitlines()[1].split()[:4]
    assert (ranks, run, executed, skipped) == ("3", str(EXECUTED + SKIPPED), str(EXECUTED), str(SKIPPED))
