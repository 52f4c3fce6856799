"""Course of an executable in a rank: its copies are loaded, its function main runs, and its exit status is returned."""

import ctypes
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pysmpi.errors import LaunchError
from pysmpi.native import _native, ffi, lib
from pysmpi.simulation.executables.executable import Copies, Executable
from pysmpi.simulation.executables.source_lines import describe
from pysmpi.simulation.isolation.stopping import RankStopped, refuse

__all__ = ["Executables"]

_FORTRAN = Path(_native.__file__).resolve().with_name("libmpifort.so.12")
_STOPPED, _NO_MEMORY = -1, -2  # results of pysmpi_executable_run
_write: Callable[[int, bytes], None] = os.write  # type: ignore[assignment]


@ffi.def_extern(name="pysmpi_write_output")  # type: ignore[untyped-decorator]
def _write_output(descriptor: int, content: Any, count: int) -> None:
    with suppress(RankStopped):  # the rank is stopped at its next MPI call
        _write(descriptor, ffi.buffer(content, count)[:])


@ffi.def_extern(name="pysmpi_describe_address")  # type: ignore[untyped-decorator]
def _describe_address(file: Any, address: int, text: Any, size: int) -> None:
    described = describe(os.fsdecode(ffi.string(file)), address).encode()[: size - 1] + b"\0"
    ffi.memmove(text, described, len(described))


class Executables:
    """Executables of a simulation.

    Args:
        write: function that writes bytes of the running rank to a standard stream, given its descriptor (1 or 2).
        seed: seed of random numbers that ranks would get from the system.
        host_name: function that returns the name of a rank's host.
        host_cores: function that returns the number of cores of a rank's host.
    """

    def __init__(
        self,
        write: Callable[[int, bytes], None],
        seed: int,
        host_name: Callable[[int], str],
        host_cores: Callable[[int], int],
    ) -> None:
        global _write
        _write = write
        self._host_name = host_name
        self._host_cores = host_cores
        self._copies: dict[Executable, Copies] = {}
        self._shared: list[ctypes.CDLL] = []  # libraries that all ranks share, which must be loaded before
        lib.pysmpi_executables_begin(seed)

    def run(self, rank: int, executable: Executable, arguments: Sequence[str]) -> int:
        """Run an executable in the running rank, and return its exit status.

        Args:
            rank: the rank.
            executable: the executable.
            arguments: words of its command line, the first of which is its name.

        Raises:
            RankStopped: the rank is being stopped.
        """
        words = [ffi.new("char[]", os.fsencode(word)) for word in arguments]
        variables = [ffi.new("char[]", name + b"=" + value) for name, value in os.environb.items()]
        host = self._host_name(rank).encode()
        lib.pysmpi_executable_prepare(words, len(words), variables, len(variables), host, self._host_cores(rank))
        self._load(executable)
        status = int(lib.pysmpi_executable_run())
        if status == _STOPPED:
            raise RankStopped
        if status == _NO_MEMORY:
            refuse("no memory for the stack of an executable (contexts/stack-size)")
        return status

    def _load(self, executable: Executable) -> None:
        """Load copies of an executable and its libraries for the running rank."""
        try:
            if executable not in self._copies:
                if executable.calls_fortran:
                    self._shared.append(ctypes.CDLL(str(_FORTRAN), mode=os.RTLD_GLOBAL | os.RTLD_NOW))
                if executable.uses_openmp:
                    lib.pysmpi_executables_use_openmp()
                self._shared += [ctypes.CDLL(str(each.path)) for each in executable.libraries if not each.own]
                self._copies[executable] = Copies(executable)
            with self._copies[executable].made() as paths:
                for copy, original in paths:
                    problem = lib.pysmpi_executable_load(os.fsencode(copy), os.fsencode(original))
                    if problem != ffi.NULL:
                        refuse(f"cannot load {original}: {_reason(ffi.string(problem).decode(errors='replace'), copy)}")
        except (LaunchError, OSError) as error:
            refuse(str(error))

    def end(self) -> None:
        """Release the state of the ranks' executables. Call this outside ranks."""
        lib.pysmpi_executables_end()


def _reason(problem: str, copy: str) -> str:
    """Return the dynamic linker's text without the path of the copy."""
    text = problem.removeprefix(f"{copy}: ")
    if "static TLS" in text:
        text += "; compile the library without -ftls-model=initial-exec"
    elif "cannot allocate memory" in text.lower() or "cannot map" in text:
        text += "; Linux allows 65,530 areas of memory in a process (vm.max_map_count), and each rank takes about seven"
    return text
