"""Imports of shared modules in progress, and the events that make a shared module private to each rank.

A shared module runs once, as if before the ranks began, under the first rank that imports it. No other rank runs until
the import ends, unless the module calls MPI. At its first call whose answer or effect depends on the rank, the module
becomes private, and so do the modules that are importing it and those that have imported names from it in the meantime.
No other rank has seen these modules yet. The first rank continues to run them, now for itself alone, and each other
rank will run them from the beginning.

Example: the first rank imports `solver`, which imports `grids` and then `parallel`, which calls ``Get_rank()`` while it
is imported. Then parallel and solver become private. `grids` stays shared unless it has imported one of them.
"""

import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType, ModuleType
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation import nested_imports, search_lists
from pysmpi.simulation.isolation.current import follow_imports
from pysmpi.simulation.isolation.imports import Import
from pysmpi.simulation.isolation.thread_dictionary import put_errno_away, put_errno_back
from pysmpi.simulation.isolation.verdicts import Found, Verdict, Verdicts

__all__ = ["SharedImport", "SharedImports"]

# Beginnings of the names of MPI functions that give the same answer in all ranks. Other functions that take no time are
# not reported at all.
_SAME_IN_ALL_RANKS = (
    "MPI_Info_", "MPI_Group_incl", "MPI_Group_excl", "MPI_Group_range", "MPI_Group_union", "MPI_Group_size",
    "MPI_Group_free", "MPI_Comm_group", "MPI_Comm_create_errhandler", "MPI_Errhandler_", "MPI_Comm_create_keyval",
    "MPI_Win_create_keyval", "MPI_Type_", "MPI_Op_", "MPI_Add_error", "MPI_Error_", "MPI_Is_thread_main",
    "MPI_Query_thread", "MPI_Get_", "MPI_Comm_set_errhandler", "MPI_Comm_get_name", "MPI_Register_datarep",
)  # fmt: skip


@dataclass(slots=True, eq=False)
class SharedImport:
    """Import of a shared module, whether in progress or complete."""

    found: Found
    module: ModuleType
    # Changes that the module's code has made in the search lists.
    changes: list[search_lists.Change] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name of the module."""
        return self.module.__name__


class SharedImports:
    """Stack of the shared modules that a rank is importing.

    Args:
        verdicts: decisions on which modules are private to each rank; this class changes some of them.
        give: function that makes the module of an import private to the running rank.
    """

    def __init__(self, verdicts: Verdicts, give: Callable[[SharedImport], None]) -> None:
        self._verdicts = verdicts
        self._give = give
        self._stack: list[SharedImport] = []
        self._complete: list[SharedImport] = []  # imports that have ended since the outermost one began
        self._collected = -1  # rank for which the garbage collector worked before the outermost import
        self._errno: Any = None  # the rank's copy of errno in ctypes during an import
        self._report = self._note_call  # kept as one object, because native code only has its address
        self._lists: search_lists.Contents = {}  # contents of the search lists at the last begin or end of an import

    def begin(self, entry: SharedImport) -> None:
        """Record that the running rank begins to run a module for all ranks."""
        if not self._stack:
            self._collected = lib.pysmpi_garbage_of(-1)
            follow_imports(self._is_importing)
            nested_imports.follow(self._note_import)
            name = entry.name
            lib.pysmpi_import_for_all(ffi.cast("void *", id(self._report)), ffi.cast("void *", id(name)))
            self._errno = put_errno_away()
        else:
            self._stack[-1].changes += search_lists.changes_since(self._lists)
        self._lists = search_lists.contents()
        self._stack.append(entry)

    def end(self, entry: SharedImport, *, complete: bool) -> bool:
        """Record that the import of a module has ended; return whether all ranks share the module.

        It is not shared if it has become private while it ran. `complete` is False if the import has failed.
        """
        if entry not in self._stack:
            return False
        while self._stack.pop() is not entry:
            pass
        search_lists.apply(entry.changes + search_lists.changes_since(self._lists))
        self._lists = search_lists.contents()
        if complete:
            self._complete.append(entry)
        if not self._stack:
            self._leave()
        return True

    def extension_module(self) -> str | None:
        """Return the name of an extension module that is being imported and cannot become private, or None."""
        return next((each.name for each in self._stack if each.found.code is None), None)

    def become_private(self, reason: str) -> None:
        """Make all modules that are being imported private to each rank.

        Args:
            reason: reason why the module whose import began last becomes private; the others import it.
        """
        if not self._stack:
            return
        stack, complete = self._stack[:], self._complete[:]
        inner = ""
        for entry in reversed(stack):
            assert entry.found.verdict is not None
            if not entry.found.verdict.final:
                entry.found.verdict = Verdict(True, f"imports {inner}, which is private" if inner else reason)
                inner = entry.name
        importing = [entry for entry in stack if entry.found.verdict is not None and entry.found.verdict.private]
        importing += self._importers(complete)
        for entry in importing:
            self._give(entry)
        self._leave()

    def _importers(self, complete: list[SharedImport]) -> list[SharedImport]:
        """Find the completely imported modules that refer to private modules; make them private, and return them."""
        found: list[SharedImport] = []
        before = -1
        while len(found) != before:
            before = len(found)
            for entry in complete:
                assert entry.found.verdict is not None
                if entry in found or entry.found.verdict.final:
                    continue
                imported = self._verdicts.private_import(entry.name, entry.found)
                if imported is not None:
                    entry.found.verdict = Verdict(True, f"imports {imported}, which is private")
                    found.append(entry)
        return found

    def _leave(self) -> None:
        self._stack.clear()
        self._complete.clear()
        lib.pysmpi_garbage_of(self._collected)
        put_errno_back(self._errno)
        lib.pysmpi_import_for_all(ffi.NULL, ffi.NULL)
        follow_imports(None)
        nested_imports.follow(None)

    def _note_import(self, statement: Import) -> None:
        """Make the modules that are being imported private if the import statement in a function imports a private
        module."""
        entry = self._stack[-1]
        assert entry.found.verdict is not None
        imported = None if entry.found.verdict.final else self._verdicts.private_target(entry.name, statement)
        if imported is not None:
            self.become_private(f"imports {imported}, which is private")

    def _is_importing(self, depends: bool) -> bool:
        """Return whether a shared module is being imported.

        If the caller's answer depends on the rank (`depends`) and that module uses MPI, the module first becomes
        private.
        """
        entry = self._stack[-1]
        if depends:
            self._verdicts.follow_use_of_mpi(entry.name, entry.found)
        if depends and entry.found.uses_mpi:
            self.become_private(self._place() or "its import depends on the rank")
        return bool(self._stack)

    def _note_call(self, function: str) -> None:
        if not function.startswith(_SAME_IN_ALL_RANKS):
            self.become_private(self._place() or f"calls {function}")

    def _place(self) -> str:
        """Return the reason why the module whose import began last becomes private: its top-level line that runs now.

        The result is "" if no line of its top level is running.
        """
        namespace = self._stack[-1].module.__dict__
        frame: FrameType | None = sys._getframe()
        while frame is not None and (frame.f_code.co_name != "<module>" or frame.f_globals is not namespace):
            frame = frame.f_back
        if frame is None:
            return ""
        text = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals).strip()
        return f"depends on the rank in line {frame.f_lineno}: {text if len(text) <= 60 else text[:59] + '…'}"
