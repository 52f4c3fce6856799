"""Kernels after the patterns of the NAS Parallel Benchmarks: equal results on any number of ranks, and under MPICH."""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

Compile = Callable[..., pathlib.Path]
Execute = Callable[..., subprocess.CompletedProcess[str]]

RESULTS = {
    "is.c": "IS right 16384 536930738",
    "cg.c": "CG right 33 15.9541247132",
    "mg.c": "MG 114940.22873957 13411.78875215",
    "ep.f90": "EP 4.35555800 3.28461973 23982 22905 4310 268 4 0 0 0 0 0",
    "ft.f90": "FT right 65267.906742",
}


@pytest.mark.parametrize("source", RESULTS)
def test_results(compiled: Compile, execute: Execute, source: str) -> None:
    if source.endswith(".f90") and shutil.which("gfortran") is None:
        pytest.skip("gfortran is missing")
    program = compiled(f"kernels/{source}", "-w", "-lm")
    for ranks in (1, 4, 16, 256):
        run = execute("--platform", "flat:256", "-np", ranks, program)
        assert " ".join(run.stdout.split()) == RESULTS[source], run.stderr
        assert run.returncode == 0


@pytest.mark.parametrize("source", ["is.c", "cg.c", "mg.c"])
def test_the_same_executable_runs_under_mpich(compiled: Compile, tmp_path: pathlib.Path, source: str) -> None:
    environment = pathlib.Path(sys.prefix)
    variables = {**os.environ, "LD_LIBRARY_PATH": str(environment / "lib")}
    command = [environment / "bin/mpiexec", "-n", "4", compiled(f"kernels/{source}", "-w", "-lm")]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=variables)
    assert " ".join(run.stdout.split()) == RESULTS[source]
