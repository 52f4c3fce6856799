"""Lines of C in reports: with debugging information, and names of functions without it."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pysmpi.simulation.executables.source_lines import describe
from pysmpi.util.elf_file import ElfFile

Compile = Callable[..., Path]
Execute = Callable[..., subprocess.CompletedProcess[str]]
LINES = Path(__file__).with_name("ends.c").read_text().splitlines()


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(LINES, 1) if text in line)


def test_deadlock_report_has_lines(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 2, compiled("ends.c"), "deadlock")
    assert re.search(rf"MPI_Recv .* up to 4 bytes, at \S*ends.c:{line_of('MPI_Recv')}\n", run.stderr)
    assert re.search(rf"MPI_Barrier .*, waiting for rank 1, at \S*ends.c:{line_of('printf') - 1}\n", run.stderr)


def test_refusal_has_a_line(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 2, compiled("ends.c"), "fork")
    assert re.match(rf"pysmpirun: \S*ends.c:{line_of('fork()')}: rank 1: fork: ", run.stderr)


def test_fatal_error_has_a_line(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 2, compiled("ends.c"), "error")
    line = line_of("MPI_Send")
    assert re.match(rf"Fatal MPI error in rank 1, at \S*ends.c:{line}: MPI_Send: invalid rank 77", run.stderr)


def test_profile_has_lines(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 2, "--profile", compiled("ends.c"), "wait")
    assert re.search(r"ends\.c:\d+ +MPI_Barrier\(MPI_COMM_WORLD\);", run.stderr)


@pytest.mark.parametrize(("option", "expected"), [("-g", r"\S*ends\.c:\d+"), ("-g0", "main in ends")])
def test_descriptions(compiled: Compile, option: str, expected: str) -> None:
    path = compiled("ends.c", option)
    (main,) = {address for address, name in ElfFile.read(path).functions() if name == "main"}
    assert re.fullmatch(expected, describe(str(path), main + 4))


def test_address_before_all_functions(compiled: Compile) -> None:
    assert describe(str(compiled("ends.c", "-g0")), 0) == "ends"
