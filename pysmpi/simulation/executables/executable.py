"""Executables: what their file must be like, and the copies of it that ranks load."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

from pysmpi.errors import LaunchError
from pysmpi.simulation.executables.elf_image import Image, copied_image
from pysmpi.simulation.executables.libraries import (
    IN_FORTRAN,
    MPI_LIBRARIES,
    OWN_NAMES,
    Library,
    needed_libraries,
    uses_openmp,
)
from pysmpi.util.elf_file import ElfError, ElfFile, Segment

__all__ = ["BEGINNINGS", "Copies", "Executable"]

_ALLOCATION = {"_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm"}  # operators new and delete
_IN_MEMORY, _ENOUGH = "/dev/shm", 256 << 20  # bytes; a copy is removed when it has been loaded

BEGINNINGS = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe")  # first bytes of executables of Linux, Windows and macOS


@dataclass(frozen=True)
class Executable:
    """Executable that ranks can run.

    Attributes:
        path: its file.
        file: its contents.
        libraries: libraries that it needs, each before those that it needs itself.
    """

    path: Path
    file: ElfFile = field(compare=False)
    libraries: list[Library] = field(compare=False)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read an executable.

        Raises:
            LaunchError: it cannot run in ranks; the message says why, and how to compile it.
        """
        try:
            file = ElfFile.read(path)
            _check_kind(path, file)
            libraries = needed_libraries(path, file)
            _check_links(path, file, libraries)
            return cls(path, file, libraries)
        except ElfError as error:
            raise LaunchError(f"cannot run {str(path)!r}: {error}") from error

    @property
    def calls_fortran(self) -> bool:
        """True if it or one of its libraries calls the Fortran functions of MPI."""
        return any(name in IN_FORTRAN for file in self._files() for name in file.needed)

    @property
    def uses_openmp(self) -> bool:
        """True if it or one of its libraries uses OpenMP."""
        return any(uses_openmp(file) for file in self._files())

    def _files(self) -> list[ElfFile]:
        return [self.file, *(library.file for library in self.libraries)]

    @property
    def own_libraries(self) -> list[Library]:
        """Libraries of which each rank loads a copy."""
        return [library for library in self.libraries if library.own]


class Copies:
    """Copies of an executable and its libraries, in a folder for temporary files.

    Args:
        executable: the executable.

    Raises:
        LaunchError: no copies can be made of a file.
    """

    def __init__(self, executable: Executable) -> None:
        self._executable = executable
        # A folder would remain if the program crashes. A rank's os.getpid and os.urandom give the same in each run.
        self._prefix = f"{_place()}/pysmpi-{os.getrandom(8).hex()}-%NUMBER%-"
        self._number = 0

    @cached_property
    def _images(self) -> list[tuple[str, str, Image]]:
        """Path of copies, path of the original and contents: of the executable, then of the libraries."""
        own = self._executable.own_libraries
        renamed = {each.name: f"{self._prefix}{Path(each.name).name}" for each in own}
        files = [(f"{self._prefix}{self._executable.path.name}", self._executable.path, self._executable.file)]
        files += [(renamed[each.name], each.path, each.file) for each in own]
        images = []
        for name, path, file in files:
            try:
                images.append((name, str(path.resolve()), copied_image(file, {**renamed, **OWN_NAMES})))
            except ElfError as error:
                raise LaunchError(f"cannot run {str(self._executable.path)!r}: {str(path)!r}: {error}") from error
        return images

    @contextmanager
    def made(self) -> Iterator[list[tuple[str, str]]]:
        """Make a copy of each file for another rank, yield the paths of copies and originals, and remove the copies.

        Raises:
            LaunchError: the copies cannot be written.
        """
        paths = []
        try:
            for name, original, image in self._images:
                path = name.replace("%NUMBER%", f"{self._number:0{Image.DIGITS}d}")
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o700)
                paths.append((path, original))
                try:
                    image.write(descriptor, self._number)
                finally:
                    os.close(descriptor)
            self._number += 1
            yield paths
        except OSError as error:
            raise LaunchError(f"cannot copy {str(self._executable.path)!r} for a rank: {error.strerror}") from error
        finally:
            for path, _ in paths:
                os.unlink(path)


def _place() -> str:
    """Return the folder for copies: one in memory, where files are made faster, if that is possible."""
    try:
        system = os.statvfs(_IN_MEMORY)
    except OSError:
        return tempfile.gettempdir()
    has_room = system.f_bavail * system.f_frsize >= _ENOUGH and os.access(_IN_MEMORY, os.W_OK)
    return _IN_MEMORY if has_room and not system.f_flag & os.ST_NOEXEC else tempfile.gettempdir()


def _check_kind(path: Path, file: ElfFile) -> None:
    if file.kind == ElfFile.OBJECT:
        raise ElfError("it is an object file; link it to an executable")
    if file.kind not in (ElfFile.SHARED, ElfFile.FIXED):
        raise ElfError("it is no executable")
    if file.segment(Segment.DYNAMIC) is None or (file.interpreter is None and not file.defines("main")):
        if file.kind == ElfFile.SHARED and file.needed:
            raise ElfError("it is a library without a function main")
        raise ElfError(
            "it is linked statically; link it dynamically, without -static, so that the simulator's MPI library can "
            "take the place of the real one"
        )
    if file.kind == ElfFile.FIXED:
        raise ElfError(
            "it is not position-independent, so that a process cannot load it more than once; compile and link it with "
            "-fPIE -pie, without -no-pie"
        )
    if not os.access(path, os.R_OK):
        raise ElfError("it cannot be read")


def _check_links(path: Path, file: ElfFile, libraries: list[Library]) -> None:
    if not any(
        name in MPI_LIBRARIES for each in (file, *(library.file for library in libraries)) for name in each.needed
    ):
        if file.defines("MPI_Init"):
            raise ElfError(
                "MPI is linked statically; link it with the shared library, so that the simulator's can take its place"
            )
        raise ElfError(
            "it is linked with no MPI library: neither MPICH's (libmpich.so.12, libmpi.so.12), nor Open MPI's "
            "(libmpi.so.40), nor that of the standard (libmpi_abi.so.1)"
        )
    for each in (file, *(library.file for library in libraries if library.own)):
        if any(symbol.defined and symbol.name in _ALLOCATION for symbol in each.symbols):
            raise ElfError(
                "it replaces C++'s operators new and delete, and the library of C++, which all ranks share, would use "
                "others; build it without this replacement"
            )
    variables = file.segment(Segment.THREAD_LOCAL)
    if file.interpreter is not None and variables is not None and variables.size_in_memory > 0:
        raise ElfError(
            f"it has thread-local variables ({variables.size_in_memory} bytes: __thread, thread_local, threadprivate), "
            "for which an executable has one place in a process; compile it with -fPIC and link it with -shared, and "
            "without -static-libstdc++ and -static-libgfortran"
        )
