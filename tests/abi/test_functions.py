"""Programs that are compiled for another ABI."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

import pysmpi
from pysmpi.native import _native
from pysmpi.util.elf_file import ElfFile

COMMANDS = pathlib.Path(sys.executable).parent
LIBRARIES = pathlib.Path(_native.__file__).parent
SOURCE = pathlib.Path(__file__).with_name("program.c")
ABIS = [("openmpi.h", "libpysmpi_openmpi.so"), ("standard.h", "libpysmpi_standard.so")]


def run(program: pathlib.Path, ranks: int) -> str:
    """Run an executable in its folder, and return what it prints.

    With AddressSanitizer, which forbids RTLD_DEEPBIND, a program gets the functions of mpi4py's ABI: select its own.
    """
    needed = ElfFile.read(program).needed
    environment = dict(os.environ)
    if "asan" in environment.get("LD_PRELOAD", ""):
        if "libmpi_abi.so.1" in needed:
            pytest.skip("AddressSanitizer, and mpi4py is not built for this ABI")
        environment["MPI4PY_MPIABI"] = "openmpi" if "libmpi.so.40" in needed else "mpich"
    command = [COMMANDS / "pysmpirun", "-np", str(ranks), "--platform", f"flat:{ranks}", "--quiet", program]
    ended = subprocess.run(command, cwd=program.parent, env=environment, capture_output=True, text=True, check=False)
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("ranks", [1, 2, 5, 16])
@pytest.mark.parametrize(("header", "library"), ABIS)
def test_a_program_gets_what_its_abi_says(
    compiled: Callable[[str, str], pathlib.Path], header: str, library: str, ranks: int
) -> None:
    assert run(compiled(header, library), ranks) == "0 wrong\n"


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("mpicc.openmpi", []),
        ("mpicxx.openmpi", ["-x", "c++", "-w"]),
        ("mpicc.mpich", []),
    ],
)
def test_a_program_of_an_installed_library(tmp_path: pathlib.Path, command: str, options: list[str]) -> None:
    """Compile program.c with the real header, and run it; Open MPI's compiler for C++ adds its library for C++."""
    if shutil.which(command) is None:
        pytest.skip(f"{command} is missing")
    program = tmp_path / "program"
    subprocess.run([command, "-O1", *options, SOURCE, "-o", program], check=True, capture_output=True)
    assert run(program, 4) == "0 wrong\n"


@pytest.mark.parametrize("library", ["libmpi.so.12", "libpysmpi_mpich.so"])
def test_libraries_that_python_loads_get_the_simulator(tmp_path: pathlib.Path, library: str) -> None:
    """Debian's packages ask for libmpich.so.12."""
    source = tmp_path / "size.c"
    source.write_text(
        "int MPI_Comm_size(int, int *);\nint size(void) { int n; MPI_Comm_size(0x44000000, &n); return n; }\n"
    )
    made = tmp_path / "libsize.so"
    options = [f"-L{LIBRARIES}", "-Wl,--no-as-needed", f"-l:{library}", "-Wl,--allow-shlib-undefined"]
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source, *options], check=True)

    def program(path: str) -> int:
        return int(ctypes.CDLL(path).size())

    assert pysmpi.simulate(program, np=3, platform="flat:3", args=(str(made),)).values == [3, 3, 3]


def test_fortran_of_open_mpi_is_refused(tmp_path: pathlib.Path) -> None:
    if shutil.which("mpif90.openmpi") is None:
        pytest.skip("mpif90.openmpi is missing")
    source = tmp_path / "program.f90"
    source.write_text("use mpi\ninteger :: code\ncall mpi_init(code)\ncall mpi_finalize(code)\nend\n")
    program = tmp_path / "program"
    subprocess.run(["mpif90.openmpi", "-o", program, source], check=True, cwd=tmp_path)
    assert "Open MPI's library for Fortran" in run(program, 2)


def symbols(path: pathlib.Path, which: str) -> dict[str, tuple[str, str]]:
    """Return address and kind of the dynamic symbols of a library, by name."""
    text = subprocess.check_output(["nm", "-D", which, path], text=True)
    found = re.findall(r"^(\S*)\s+(\w) (\w+)(?:@.*)?$", text, re.M)
    return {name: (address, kind) for address, kind, name in found}


@pytest.mark.parametrize(("header", "library"), ABIS)
def test_every_function_has_its_second_name(header: str, library: str) -> None:
    found = symbols(LIBRARIES / library, "--defined-only")
    functions = {name for name, (_, kind) in found.items() if kind in "TW" and name.startswith("MPI_")}
    assert len(functions) > 600
    assert {name for name in functions if found.get(f"P{name}") != found[name]} == set()
    own = {name for name in symbols(LIBRARIES / "libmpi.so.12", "--defined-only") if name.startswith("MPI_")}
    assert {
        name for name in own if name not in found and not name.startswith(("MPI_UNWEIGHTED", "MPI_WEIGHTS", "MPI_F08"))
    } == set()


def test_open_mpi_has_all_symbols_of_mpi4py() -> None:
    import mpi4py

    extension = next(pathlib.Path(mpi4py.__file__).parent.glob("MPI.openmpi.*.so"))
    needed = {name for name, (_, kind) in symbols(extension, "--undefined-only").items() if kind in "UvV"}
    needed = {name for name in needed if name.startswith(("MPI_", "ompi_", "OMPI_"))}
    assert len(needed) > 400
    assert needed - symbols(LIBRARIES / "libpysmpi_openmpi.so", "--defined-only").keys() == set()
