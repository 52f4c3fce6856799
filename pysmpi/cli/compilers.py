"""Commands pysmpicc, pysmpicxx and pysmpif90: the machine's compilers, with what a program needs to call MPI.

They take the place of mpicc, mpicxx and mpif90 where no MPI is installed. ``-show`` prints the command without running
it. Environment variables choose other compilers: PYSMPI_CC, PYSMPI_CXX and PYSMPI_FC.
"""

import contextlib
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pysmpi.native import _native

__all__ = ["compile_c", "compile_cxx", "compile_fortran"]

_LIBRARIES = Path(_native.__file__).resolve().parent
_HEADERS = Path(__file__).resolve().parents[1] / "include"
_ONLY_COMPILES = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}
_SHOWS = {"-show", "-showme", "--showme", "-compile-info", "-link-info"}


def compile_c() -> None:
    """Run the command pysmpicc."""
    _run(_compiler("PYSMPI_CC", "cc"), ["-l:libmpi.so.12"])


def compile_cxx() -> None:
    """Run the command pysmpicxx."""
    _run(_compiler("PYSMPI_CXX", "c++"), ["-l:libmpi.so.12"])


def compile_fortran() -> None:
    """Run the command pysmpif90."""
    compiler = _compiler("PYSMPI_FC", "gfortran")
    # Procedures of the module mpi take arguments of any type, for which interfaces have no form.
    options = ["-fallow-argument-mismatch", "-fallow-invalid-boz", f"-I{_modules(compiler)}"]
    _run(compiler, ["-l:libmpifort.so.12", "-l:libmpi.so.12"], options)


def _modules(compiler: list[str]) -> Path:
    """Return the folder of the modules mpi and mpi_f08 in the form of a compiler, which compiles them at first."""
    version = subprocess.run([*compiler, "--version"], capture_output=True, check=False).stdout
    sources = [_HEADERS / name for name in ("mpif.h", "mpi.f90", "mpi_f08.f90")]
    digest = hashlib.sha256(version + b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pysmpi"
    folder = cache / f"fortran-{digest}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as made:
        for source in sources[1:]:
            command = [*compiler, "-fsyntax-only", f"-I{_HEADERS}", "-J", made, str(source)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{Path(sys.argv[0]).name}: error: {compiler[0]} cannot compile {source.name}:\n{done.stderr}")
        with contextlib.suppress(OSError):  # another process was faster
            os.rename(made, folder)
        os.makedirs(made, exist_ok=True)  # is removed at the end
    return folder


def _compiler(variable: str, usual: str) -> list[str]:
    compiler = shlex.split(os.environ.get(variable, "")) or [usual]
    if shutil.which(compiler[0]) is None:
        sys.exit(f"{Path(sys.argv[0]).name}: error: there is no compiler {compiler[0]!r}; {variable} names another one")
    return compiler


def _run(compiler: list[str], libraries: list[str], options: Sequence[str] = ()) -> None:
    words = [word for word in sys.argv[1:] if word not in _SHOWS]
    # Only programs that call MPI shall need the library, because others can then run by themselves. The library itself
    # needs the interpreter, whose symbols the linker must not look for.
    linked = ["-Wl,--as-needed", "-Wl,--allow-shlib-undefined", f"-L{_LIBRARIES}", *libraries]
    command = [*compiler, "-DPYSMPI", f"-I{_HEADERS}", *options, *words]
    if words and not _ONLY_COMPILES & set(words):
        command += linked
    if len(words) < len(sys.argv) - 1:
        print(shlex.join(command))
        return
    os.execvp(command[0], command)
