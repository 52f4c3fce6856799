"""Copies of compiled libraries, one for each rank that loads the library.

A copy is a library of its own for the dynamic linker, so that it has its own variables, and its own Python objects in
them. The memory for its code exists once. Ranks load copies of

- extension modules that call a library of which each rank has its own variables (`private_libraries`), and all others
  in their folder: h5py keeps handles of HDF5 in Python objects;
- extension modules that ``--private-libs NAME`` names, and libraries that ``--private-libs NAME=copy`` names.
"""

import ctypes
import importlib.machinery
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import rank_of_thread
from pysmpi.simulation.isolation.elf_files import needed_libraries, unique_variable
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.private_libraries import PrivateLibraries
from pysmpi.simulation.isolation.stopping import refuse

__all__ = ["LibraryCopies", "refuse_import"]

_imported: set[Path] = set()  # files of extension modules that a rank of any simulation has imported
# Parts of the paths of copies. No path occurs twice: the interpreter and the dynamic linker know loaded files by them.
_numbers = count()


def refuse_import(module: str, copied: str) -> NoReturn:
    """End the simulation with an error, because an extension module that all ranks share imports one of which each rank
    loads a copy, and may keep its objects.

    Args:
        module: name of the module that all ranks would share.
        copied: name of the other.

    Raises:
        RankStopped: always.
    """
    refuse(
        f"import {module}: this extension module imports {copied}, of which each rank loads a copy; "
        f"--private-libs {module.rpartition('.')[2]} lets each rank load a copy of it, too"
    )


class LibraryCopies:
    """Copies of libraries during a simulation.

    Args:
        patches: record of what is to be undone at the end.
        private: libraries of which each rank has its own variables.
    """

    def __init__(self, patches: Patches, private: PrivateLibraries) -> None:
        self._patches = patches
        self._private = private
        self._paths: dict[tuple[int, Path], str] = {}  # file that a rank loads, by rank and original
        self._packages: dict[str, str] = {}  # first module that was copied, by the name of its outermost package
        self._creating: list[str] = []  # extension modules that are being loaded, of which there are no copies
        self._at_module: list[Callable[[str], None]] = []
        self._folder: Path | None = None
        self._reason_in = cache(self._find_reason)

    def reason_to_copy(self, name: str, module: str) -> str | None:
        """Return why each rank loads its own copy of an extension module, or None if all ranks share the module.

        Args:
            name: name of the extension module.
            module: its file.
        """
        path = Path(module)
        other = self.copied_beside(name)
        reason = (
            self._private.option_for_module(path.name)
            or self._reason_in(path.parent)
            or (None if other is None else f"each rank has a copy of {other}, in the same package")
        )
        if reason is not None:
            self._private.note_copy(path, reason)
        return reason

    def copied_beside(self, name: str) -> str | None:
        """Return the name of an extension module in the same top-level package as the named module of which each
        rank loads a copy, or None."""
        return self._packages.get(name.partition(".")[0])

    def _find_reason(self, folder: Path) -> str | None:
        """Return why each rank loads its own copies of the extension modules in a folder, or None."""
        for path in sorted(folder.glob("*.so")):
            calls = [name for name in needed_libraries(path) if self._private.may_contain(name)]
            if not calls:
                continue
            lib.pysmpi_note_copied_library(str(path).encode())
            with suppress(OSError):
                ctypes.CDLL(str(path), mode=os.RTLD_LAZY)  # loads the libraries that it calls, but does not import it
            own = [name for name in calls if name in self._private.files()]
            if own:
                return f"it, or a module beside it, calls {own[0]}"
        return None

    def creating(self, create: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that creates an extension module as `create` does, or in ranks a copy of it. The first rank
        uses the original, unless a rank of an earlier simulation has changed its variables.

        Args:
            create: function that returns the module, given its spec (``_imp.create_dynamic``).
        """

        def create_own(spec: importlib.machinery.ModuleSpec, file: Any = None, /) -> Any:
            rank = rank_of_thread()
            if rank < 0:
                return create(spec, file)
            if self.reason_to_copy(spec.name, spec.origin or "") is None:
                self._creating.append(spec.name)
                try:
                    return create(spec, file)
                finally:
                    self._creating.pop()
            if self._creating:
                refuse_import(self._creating[-1], spec.name)
            self._packages.setdefault(spec.name.partition(".")[0], spec.name)
            for note in self._at_module:
                note(spec.name)
            original = Path(spec.origin or "")
            if original not in _imported:
                _imported.add(original)
                self._paths[rank, original] = str(original)
            own = copy(spec)
            own.origin = self._copy(rank, original)
            with suppress(OSError):
                ctypes.CDLL(own.origin, mode=os.RTLD_LAZY)  # native code follows it before it is initialised
            module = create(own, file)
            if own.origin != spec.origin:
                lib.pysmpi_share_code(own.origin.encode(), str(original).encode())
                if hasattr(module, "__file__"):
                    module.__file__ = spec.origin
            return module

        return create_own

    def at_module(self, note: Callable[[str], None]) -> None:
        """Register a function that is called with the name of an extension module when a rank loads its copy."""
        self._at_module.append(note)

    def opening(self, load: Callable[[Any, int], int]) -> Callable[[Any, int], int]:
        """Return a function that loads a library as `load` does, or in ranks a copy of it.

        Args:
            load: function that returns the handle of a library, given its name and the flags of dlopen.
        """

        def load_own(name: Any, flags: int = 0, /) -> int:
            rank = rank_of_thread()
            reason = self._private.option_to_copy(os.path.basename(os.fsdecode(name or b"")))
            if rank < 0 or reason is None:
                return load(name, flags)
            flags &= ~os.RTLD_GLOBAL  # else libraries and copies of all ranks would use this one
            handle = load(name, flags)
            # The path is the second entry of the dynamic linker's record.
            original = Path(os.fsdecode(ctypes.cast(handle, ctypes.POINTER(ctypes.c_char_p))[1] or b""))
            self._private.note_copy(original, reason)
            path = self._copy(rank, original)
            own = load(path, flags)
            lib.pysmpi_share_code(path.encode(), str(original).encode())
            return own

        return load_own

    def _copy(self, rank: int, original: Path) -> str:
        """Return the path of the rank's copy."""
        if (rank, original) not in self._paths:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="pysmpi-"))
                self._patches.at_undo(self._remove)
            unique = unique_variable(original)
            if unique is not None:
                refuse(
                    f"{original.name}: copies of this library do not give ranks their own variables, because C++ has "
                    f"its variable {unique} once in a process; use --private-libs NAME=remap, or compile the library "
                    "with -fno-gnu-unique"
                )
            path = self._folder / str(next(_numbers)) / original.name
            path.parent.mkdir()
            shutil.copyfile(original, path)
            lib.pysmpi_note_copied_library(str(path).encode())
            self._paths[rank, original] = str(path)
        return self._paths[rank, original]

    def _remove(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
