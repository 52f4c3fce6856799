"""Commands pysmpicc, pysmpicxx and pysmpif90: the machine's compilers, with what a program needs to call MPI.

They take the place of mpicc, mpicxx and mpif90 where no MPI is installed. ``-show`` prints the command without running
it. Environment variables choose other compilers: PYSMPI_CC, PYSMPI_CXX and PYSMPI_FC.
"""

import os
import shlex
import shutil
import sys
from pathlib import Path

from pysmpi.native import _native
from pysmpi.util.commands.command_name import command_name, take_name

__all__ = ["compile_c", "compile_cxx", "compile_fortran"]

_LIBRARIES = Path(_native.__file__).resolve().parent
_HEADERS = Path(__file__).resolve().parents[1] / "include"
_ONLY_COMPILES = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}
_SHOWS = {"-show", "-showme", "--showme", "-compile-info", "-link-info"}


def compile_c() -> None:
    """Run the command pysmpicc."""
    _run("PYSMPI_CC", "cc", ["-l:libmpi.so.12"])


def compile_cxx() -> None:
    """Run the command pysmpicxx."""
    _run("PYSMPI_CXX", "c++", ["-l:libmpi.so.12"])


def compile_fortran() -> None:
    """Run the command pysmpif90."""
    _run("PYSMPI_FC", "gfortran", ["-l:libmpifort.so.12", "-l:libmpi.so.12"])


def _run(variable: str, usual: str, libraries: list[str]) -> None:
    take_name()
    words = [word for word in sys.argv[1:] if word not in _SHOWS]
    compiler = shlex.split(os.environ.get(variable, "")) or [usual]
    # Only programs that call MPI shall need the library, because others can then run by themselves. The library itself
    # needs the interpreter, whose symbols the linker must not look for.
    linked = ["-Wl,--as-needed", "-Wl,--allow-shlib-undefined", f"-L{_LIBRARIES}", *libraries]
    command = [*compiler, f"-I{_HEADERS}", *words]
    if words and not _ONLY_COMPILES & set(words):
        command += linked
    if len(words) < len(sys.argv) - 1:
        print(shlex.join(command))
        return
    if shutil.which(compiler[0]) is None:
        sys.exit(f"{command_name()}: error: there is no compiler {compiler[0]!r}; {variable} names another one")
    os.execvp(command[0], command)
