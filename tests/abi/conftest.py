"""Fixture that compiles program.c for an ABI."""

import pathlib
import re
import subprocess
from collections.abc import Callable

import pytest

import pysmpi.native

HERE = pathlib.Path(__file__).parent
LIBRARIES = pathlib.Path(pysmpi.native._native.__file__).parent
HEADER = HERE.parents[1] / "pysmpi" / "native" / "mpi" / "mpi.h"
FUNCTION_TYPE = re.compile(r"^typedef \w+ MPI_\w+\(.*\);$", re.M)
PROTOTYPE = re.compile(r"^int (MPI_\w+)\(.*\);$", re.M)
COUNTS = {"IntOrCount": "int", "IntOrAint": "int", "AintOrCount": "MPI_Aint"}


def prototypes(source: str) -> str:
    """Return the declarations of the functions of MPI that a source calls, from mpi.h."""
    header = re.sub(r"\n +", " ", HEADER.read_text())
    called = [each[0] for each in PROTOTYPE.finditer(header) if re.search(rf"\b{each[1]}\(", source)]
    text = "\n".join(called)
    types = [each[0] for each in FUNCTION_TYPE.finditer(header) if re.search(r"(MPI_\w+)\(", each[0])[1] in text]  # type: ignore[index]
    return re.sub(rf"\b({'|'.join(COUNTS)})\b", lambda match: COUNTS[match[1]], "\n".join([*types, *called]))


@pytest.fixture
def compiled(tmp_path: pathlib.Path) -> Callable[[str, str], pathlib.Path]:
    """Function that compiles program.c with the header of an ABI in this folder, and links it with a library."""

    def compile_program(header: str, library: str) -> pathlib.Path:
        source = HERE / "program.c"
        (tmp_path / "prototypes.h").write_text(prototypes(source.read_text()))
        path = tmp_path / "program"
        options = [f'-DABI_HEADER="{HERE / header}"', f"-I{tmp_path}", f"-L{LIBRARIES}", f"-l:{library}"]
        subprocess.run(["cc", "-O1", "-g", "-o", path, source, *options, "-Wl,--allow-shlib-undefined"], check=True)
        return path

    return compile_program
