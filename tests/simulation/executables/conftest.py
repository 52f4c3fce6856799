"""Fixtures that compile and run executables."""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from pysmpi.simulation.isolation.own_stacks import on_own_stack

SOURCES = pathlib.Path(__file__).parent
COMMANDS = pathlib.Path(sys.executable).parent
Compile = Callable[..., pathlib.Path]
Execute = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def compiled(tmp_path: pathlib.Path) -> Compile:
    """Function that compiles a source file of this folder, and returns the path of the executable."""
    on_own_stack(print)  # raises an error where ranks cannot have own stacks

    def compile_file(name: str, *options: str, output: str | None = None, command: str | None = None) -> pathlib.Path:
        source = SOURCES / name
        path = tmp_path / (output or source.stem)
        compiler = command or str(
            COMMANDS / {".c": "pysmpicc", ".cpp": "pysmpicxx", ".f90": "pysmpif90"}[source.suffix]
        )
        subprocess.run([compiler, "-O1", "-g", "-o", path, source, *options], check=True, cwd=tmp_path)
        return path

    return compile_file


@pytest.fixture
def fortran(compiled: Compile) -> Compile:
    """Function that compiles a Fortran source file; skips the test without a compiler."""
    if shutil.which("gfortran") is None:
        pytest.skip("gfortran is missing")
    return compiled


@pytest.fixture
def execute(tmp_path: pathlib.Path) -> Execute:
    """Function that runs a command line of pysmpirun."""

    def run(*words: object, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        command = [COMMANDS / "pysmpirun", "--platform", "flat:8", *map(str, words)]
        environment = {**os.environ, **variables}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment, input=stdin
        )

    return run
