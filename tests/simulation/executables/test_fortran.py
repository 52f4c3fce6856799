"""Executables in Fortran: mpif.h, the module mpi, and the module mpi_f08."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Compile = Callable[..., Path]
Execute = Callable[..., subprocess.CompletedProcess[str]]

# Output of MPICH 4.0.2 with the same programs.
ARGUMENTS = """\
     0     1     2     3     4     3     1     3     1     0     0     3     6     9   105     8     8     0     0     1
     1     2     0     1     2     3     1     3     1     1     0     3     6     9   106     8     8     1     0     1
     2     3     1     2     3     3     1     3     1     2     0     3     6     9   107     8     8     2     0     1
  0 T F T [my name] first value
  1 T F T [my name] first value
  2 T F T [my name] first value
tag T T           0
"""
SECTIONS = """\
    0  207  209  211  219  221  223    6    0    7    0    6    0    5    0    4    0    3    3    3    5   -3    2    5    0    0    1    2    1
    1    7    9   11   19   21   23    6    0    5    0    4    0    3    0    2    0    1    3    3    5   -3    2    5    0    0    1    0    1
    2  107  109  111  119  121  123    6    0    6    0    5    0    4    0    3    0    2    3    3    5   -3    2    5    0    0    1    1    1
"""  # noqa: E501


def test_more_ranks_than_keys_of_a_process(fortran: Compile, execute: Execute) -> None:
    """Each rank's copy of libgfortran creates two keys of thread-specific data, and a process has 1,024."""
    run = execute("--platform", "flat:520", "-np", 520, "--quiet", fortran("barrier.f90"))
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize(
    ("source", "expected", "status"), [("arguments.f90", ARGUMENTS, 3), ("sections.f90", SECTIONS, 0)]
)
def test_programs_print_what_they_print_under_mpich(
    fortran: Compile, execute: Execute, source: str, expected: str, status: int
) -> None:
    run = execute("-np", 3, fortran(source))
    assert sorted(run.stdout.splitlines()) == expected.splitlines()
    assert run.returncode == status
    assert ("STOP 3\n" in run.stderr) == (status == 3)
