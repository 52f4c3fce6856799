"""Variables of C libraries: each rank has its own of those that keep one state in a process (native/isolation).

These are the known ones of `single_libraries`, those that the option ``--private-libs`` names, and libraries that call
one of them. Either the pages with their variables are remapped when another rank runs, or each rank loads a copy of the
library (`library_copies`).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from pysmpi.errors import did_you_mean
from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.single_libraries import LIBRARIES

__all__ = ["PrivateLibraries"]

_KNOWN, _COMPANION, _NAMED, _COPIED = range(4)  # kinds of names, in the order of the engine

_OPTION = "--private-libs"
_Library = tuple[PurePath, int, str, str]  # file, bytes, reason, and problem, as `_libraries` yields them


class PrivateLibraries:
    """Each rank's own variables of C libraries during a simulation.

    Args:
        patches: record of what is to be undone at the end.
        named: values of ``--private-libs``: parts of names of libraries, which ``=remap`` or ``=copy`` may follow.
    """

    def __init__(self, patches: Patches, named: Sequence[str]) -> None:
        separable = [library for library in LIBRARIES if library.separable]
        ways = [(name, way) for name, _, way in (value.partition("=") for value in named)]
        self._named = [name for name, _ in ways]
        self._named_to_copy = [name for name, way in ways if way == "copy"]
        self._named_modules = [name for name, way in ways if way != "remap"]
        self._copied: dict[Path, str] = {}  # why ranks load copies, by file
        self._known = tuple(file for library in separable for file in library.files)
        self._at_end: list[_Library] | None = None
        kinds = [(file, _KNOWN) for file in self._known]
        kinds += [(file, _COMPANION) for library in separable for file in library.companions]
        kinds += [(name, _COPIED if way == "copy" else _NAMED) for name, way in ways]
        names = [ffi.new("char[]", name.encode()) for name, _ in kinds]
        lib.pysmpi_library_variables_begin(names, [kind for _, kind in kinds], len(names))
        patches.at_undo(self._end)

    def _end(self) -> None:
        self._at_end = list(_libraries())
        lib.pysmpi_library_variables_end()

    def _found(self) -> list[_Library]:
        return list(_libraries()) if self._at_end is None else self._at_end

    def option_to_copy(self, file: str) -> str | None:
        """Return the option by which each rank loads a copy of the library with this file name, or None."""
        return _OPTION if any(name in file for name in self._named_to_copy) else None

    def option_for_module(self, file: str) -> str | None:
        """Return the same for an extension module, whose variables cannot be remapped."""
        return _OPTION if any(name in file for name in self._named_modules) else None

    def note_copy(self, path: Path, reason: str) -> None:
        """Record that each rank loads a copy of this file."""
        self._copied[path] = reason
        lib.pysmpi_note_copied_library(str(path).encode())

    def may_contain(self, file: str) -> bool:
        """Return whether a library with this file name may be one of which each rank has its own variables."""
        return file.startswith(self._known) or any(name in file for name in self._named)

    def files(self) -> list[str]:
        """Return the file names of the loaded libraries of which each rank has its own variables."""
        return [path.name for path, _, _, problem in self._found() if not problem]

    def lines(self) -> list[str]:
        """Return a line for each library of whose variables each rank has its own."""
        lines = []
        for path, size, reason, problem in self._found():
            how = f"shared by all ranks: {problem}" if problem else "each rank's own, remapped when another rank runs"
            lines.append(f"variables of {path.name} ({size:,} bytes): {how} ({reason})")
        for path, reason in self._copied.items():
            lines.append(f"variables of {path.name}: each rank's own, in a copy of the library ({reason})")
        return sorted(lines)

    def unknown(self) -> list[str]:
        """Return an error for each name that is part of no library's name."""
        own = [path.name for path in (*(path for path, *_ in self._found()), *self._copied)]
        return [
            f"{_OPTION} {name}: no loaded library has this name{did_you_mean(name, _loaded())}"
            for name in self._named
            if not any(name in file for file in own)
        ]


def _loaded() -> list[str]:
    """Return the names of all loaded libraries, without "lib" and all that follows the first dot."""
    paths = {line.split(maxsplit=5)[5] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    return sorted(PurePath(path).name.removeprefix("lib").split(".")[0] for path in paths)


def _libraries() -> Iterator[_Library]:
    found = ffi.new("pysmpi_variables_of_library *")
    number = 0
    while lib.pysmpi_library_variables(number, found) == 0:
        number += 1
        path, reason, problem = (ffi.string(text).decode() for text in (found.path, found.reason, found.problem))
        yield PurePath(path), found.bytes, reason, problem
