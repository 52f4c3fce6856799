"""Thread-local variables of compiled libraries: each rank has its own, as each process has (native/isolation).

A few libraries are exceptions: those that serve the interpreter or the simulator, pools of threads, and those that the
option ``--share-threads`` names.
"""

import platform
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from pysmpi.errors import did_you_mean
from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["ThreadVariables"]

_NAMED = "--share-threads"  # reason of the libraries that this option names


class ThreadVariables:
    """Exchange of thread-local variables during a simulation.

    Args:
        patches: record of what is to be undone at the end.
        shared: parts of names of libraries whose variables all ranks share.
    """

    def __init__(self, patches: Patches, shared: Sequence[str]) -> None:
        self._shared = shared
        names = [ffi.new("char[]", name.encode()) for name in shared]
        self._is_known = lib.pysmpi_thread_storage_begin(names, len(names)) == 0
        patches.at_undo(lib.pysmpi_thread_storage_end)

    def refusal(self, library: str) -> str | None:
        """Return why ranks cannot use a library whose thread-local variables they must not share, or None."""
        if self._is_known or any(name in library for name in self._shared):
            return None
        system = " ".join(platform.libc_ver()).strip() or "the C library of this system"
        return (
            f"{library} keeps state in thread-local variables, and pysmpi does not know where {system} keeps these; "
            f"ranks cannot have their own. Run it on glibc 2.28 to 2.42, or let ranks share them: "
            f"--share-threads {library}"
        )

    def lines(self) -> list[str]:
        """Return a line for each library whose variables are exchanged, or that ``--share-threads`` names."""
        lines = []
        for path, size, reason, copied in _libraries():
            if reason and reason != _NAMED:
                continue
            verdict = f"shared by all ranks ({reason})" if reason else "each rank's own"
            how = ", copied when another rank runs" if copied else ""
            lines.append(f"thread-local variables of {path.name} ({size:,} bytes): {verdict}{how}")
        return sorted(lines)

    def unknown(self) -> list[str]:
        """Return an error for each name that is part of no library's name."""
        known = [path for path, *_ in _libraries()]
        return [
            f"--share-threads {name}: no loaded library with thread-local variables has this name"
            f"{did_you_mean(name, [_short(path) for path in known])}"
            for name in self._shared
            if not any(name in str(path) for path in known)
        ]


def _short(library: PurePath) -> str:
    """Return a library's name without "lib" and all that follows the first dot, such as "torch_cpu"."""
    return library.name.removeprefix("lib").split(".")[0]


def _libraries() -> Iterator[tuple[PurePath, int, str, bool]]:
    """Yield file, bytes, reason to share them, and whether they are copied, for each library with such variables."""
    found = ffi.new("pysmpi_thread_variables *")
    number = 0
    while lib.pysmpi_thread_library(number, found) == 0:
        number += 1
        path = ffi.string(found.path).decode()
        if path:
            yield PurePath(path), found.bytes, ffi.string(found.reason).decode(), bool(found.copied)
