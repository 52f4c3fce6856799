"""Crashes in native code say in which rank, on which host and at which line of the program they happened."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

SOURCE = """
import ctypes, os, signal, time
from mpi4py import MPI
time.sleep(0.5)
if MPI.COMM_WORLD.rank == 1:
    {crash}
MPI.COMM_WORLD.Barrier()
"""


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="the sanitizer reports crashes itself")
@pytest.mark.parametrize(("crash", "number"), [("ctypes.string_at(0)", signal.SIGSEGV), ("os.abort()", signal.SIGABRT)])
def test_a_crash_names_rank_host_and_line(tmp_path: pathlib.Path, crash: str, number: signal.Signals) -> None:
    program = tmp_path / "program.py"
    program.write_text(SOURCE.format(crash=crash))
    words = [sys.executable, "-m", "pysmpi.cli.run", "-np", "3", "--platform", "flat:4", str(program)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONFAULTHANDLER"}
    run = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == -number
    assert "pysmpi: rank 1 (host node-1) crashed (" in run.stderr
    assert "at simulated time 0.5" in run.stderr
    assert 'program.py", line 6 in <module>' in run.stderr
