"""Libraries that an executable needs, and which of them each rank loads for itself."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pysmpi.errors import LaunchError
from pysmpi.util.elf_file import ElfError, ElfFile

__all__ = ["IN_FORTRAN", "MPI_LIBRARIES", "OWN_NAMES", "Library", "needed_libraries", "uses_openmp"]

# Other names by which executables ask for the simulator's MPI libraries, which are loaded already. libmpi.so.40 has the
# symbols of libopen-pal that Open MPI's library for C++ (libmpi_cxx.so.40) uses.
OWN_NAMES = {
    "libmpich.so.12": "libmpi.so.12",
    "libmpichfort.so.12": "libmpifort.so.12",
    "libmpi_abi.so.0": "libmpi_abi.so.1",
    "libopen-pal.so.40": "libmpi.so.40",
    "libopen-rte.so.40": "libmpi.so.40",
}
# Names of libraries with Fortran functions, and all names of the simulator's MPI libraries.
IN_FORTRAN = {"libmpifort.so.12", "libmpichfort.so.12"}
MPI_LIBRARIES = OWN_NAMES.keys() | set(OWN_NAMES.values())
_FORTRAN_OF_OPENMPI = re.compile(r"libmpi_(mpifh|usempi\w*)\.so")
# Libraries that serve the process, or keep no state: the C library, run-time libraries of C++ and OpenMP, mathematics.
_OF_PROCESS = re.compile(
    r"(ld-linux|linux-vdso|lib(c|m|pthread|dl|rt|util|resolv|gcc_s|stdc\+\+|gomp|iomp5|omp|quadmath)\.)"
)
_WITH_FILES = ("libgfortran.",)  # starts threads only for asynchronous input and output
_OPENMP = re.compile(r"lib(gomp|iomp5|omp)\.")
_LINE = re.compile(r"\t(\S+)(?: => (/.*))? \(0x[0-9a-f]+\)")  # a library that is asked for by its path has no arrow


@dataclass(frozen=True)
class Library:
    """Library that an executable needs.

    Attributes:
        name: name by which it is asked for, such as ``libpetsc.so.3.18``.
        path: its file.
        file: its contents.
        own: whether each rank loads a copy of it.
    """

    name: str
    path: Path
    file: ElfFile
    own: bool


def needed_libraries(path: Path, file: ElfFile) -> list[Library]:
    """Return the libraries that an executable needs, directly or not, each before those that it needs itself.

    Left out are the simulator's MPI library and libraries that serve the process.

    Args:
        path: file of the executable.
        file: its contents.

    Raises:
        LaunchError: a library is missing, or the executable needs an MPI library that the simulator does not have.
    """
    places = _places(path, file)
    found: dict[str, Library] = {}
    order: list[Library] = []

    def visit(needing: ElfFile, by: str) -> None:
        for name in needing.needed:
            if name in MPI_LIBRARIES or _OF_PROCESS.match(name) or name in found:
                continue
            _check(path, name)
            if name not in places:
                raise LaunchError(f"cannot run {str(path)!r}: the library {name}, which {by} needs, is missing")
            library = _read(name, places[name])
            found[name] = library
            visit(library.file, name)
            order.insert(0, library)

    visit(file, path.name)
    return order


def uses_openmp(file: ElfFile) -> bool:
    """Return whether a file asks for the run-time library of OpenMP."""
    return any(_OPENMP.match(name) for name in file.needed)


def _check(path: Path, name: str) -> None:
    if _FORTRAN_OF_OPENMPI.match(name):
        raise LaunchError(
            f"cannot run {str(path)!r}: it is linked with Open MPI's library for Fortran ({name}); compile it with "
            "pysmpif90, or with MPICH's mpif90 (on Debian, mpif90.mpich)"
        )


def _read(name: str, path: Path) -> Library:
    try:
        file = ElfFile.read(path)
    except (OSError, ElfError) as error:
        raise LaunchError(f"cannot read the library {str(path)!r}: {error}") from error
    # Threads of a library use its variables while any rank runs.
    starts_threads = file.imports("pthread_create", "thrd_create", "_ZNSt6thread15_M_start_thread*")
    has_own_state = file.imports("MPI_*", "PMPI_*", "mpi_*", "pmpi_*") or name.startswith(_WITH_FILES)
    return Library(name, path, file, own=has_own_state or not starts_threads)


def _places(path: Path, file: ElfFile) -> dict[str, Path]:
    """Return where the dynamic linker finds the libraries that an executable needs, by name, as ldd shows it."""
    linker = file.interpreter or _linker_of_this_process()
    traced = {**os.environ, "LD_TRACE_LOADED_OBJECTS": "1", "LD_PRELOAD": ""}
    command = [linker, os.fspath(path.resolve())]
    listed = subprocess.run(command, capture_output=True, text=True, check=False, env=traced)
    return dict(_lines(listed.stdout))


def _lines(listed: str) -> Iterator[tuple[str, Path]]:
    for line in listed.splitlines():
        if match := _LINE.match(line):
            yield match[1], Path(match[2] or match[1])


def _linker_of_this_process() -> str:
    maps = Path("/proc/self/maps").read_text()
    found = re.search(r"/\S*/ld-linux\S*", maps)
    return found[0] if found else "/lib64/ld-linux-x86-64.so.2"
