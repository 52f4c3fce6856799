"""Kernels after the patterns of the NAS Parallel Benchmarks: equal results in C and Fortran, and under MPICH."""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

Compile = Callable[..., pathlib.Path]

RESULTS = {
    "is": "IS right 16384 536930738",
    "cg": "CG right 33 15.9541247132",
    "mg": "MG 114940.22873957 13411.78875215",
    "ep": "EP 4.35555800 3.28461973 23982 22905 4310 268 4 0 0 0 0 0",
    "ft": "FT right 65267.906742",
}
# One process runs all numbers of ranks, because imports take longer than a simulation.
SIMULATIONS = """
import sys, pysmpi
for ranks in (1, 4, 16, 256):
    result = pysmpi.simulate(sys.argv[1], np=ranks, platform="flat:256")
    assert result.exit_status == 0, result.ranks
"""


def lines(*command: str | pathlib.Path, **variables: str) -> list[str]:
    """Run a command; return the lines of its output with single spaces between words."""
    run = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables})
    assert run.returncode == 0, run.stderr
    return [" ".join(line.split()) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("language", ["c", "f90"])
@pytest.mark.parametrize("kernel", RESULTS)
def test_results(compiled: Compile, kernel: str, language: str) -> None:
    if language == "f90" and shutil.which("gfortran") is None:
        pytest.skip("gfortran is missing")
    program = compiled(f"kernels/{kernel}.{language}", "-w", "-lm")
    assert lines(sys.executable, "-c", SIMULATIONS, program) == [RESULTS[kernel]] * 4


@pytest.mark.parametrize("kernel", RESULTS)
def test_the_same_executable_runs_under_mpich(compiled: Compile, kernel: str) -> None:
    environment = pathlib.Path(sys.prefix)
    mpiexec = [environment / "bin/mpiexec", "-n", "4"]
    program = compiled(f"kernels/{kernel}.c", "-w", "-lm")
    assert lines(*mpiexec, program, LD_LIBRARY_PATH=str(environment / "lib")) == [RESULTS[kernel]]


@pytest.mark.parametrize("kernel", RESULTS)
def test_an_executable_built_by_mpich_runs_under_pysmpi(compiled: Compile, kernel: str) -> None:
    for command in ("mpif90.mpich", "mpiexec.mpich"):  # Debian's: the MPICH from PyPI has no Fortran
        if shutil.which(command) is None:
            pytest.skip(f"{command} is missing")
    program = compiled(f"kernels/{kernel}.f90", "-w", command="mpif90.mpich")
    assert lines("mpiexec.mpich", "-n", "4", program) == [RESULTS[kernel]]
    pysmpirun = pathlib.Path(sys.executable).with_name("pysmpirun")
    assert lines(pysmpirun, "--platform", "flat:4", "-np", "4", program) == [RESULTS[kernel]]
