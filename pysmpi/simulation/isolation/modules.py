"""Imports in ranks: a private module runs once for each rank that imports it, a shared module once for all.

The first finder on ``sys.meta_path`` decides by the rules in `verdicts` whether a module is private. Each rank has its
own entry for a private module in ``sys.modules``; native code swaps these entries when another rank runs. The module's
code is compiled once.
"""

import importlib
import importlib.machinery
import os
import runpy
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation import nested_imports
from pysmpi.simulation.isolation.current import isolate_entry, rank_of_thread
from pysmpi.simulation.isolation.interpreter import isolate_assignments, isolate_contents
from pysmpi.simulation.isolation.library_copies import LibraryCopies, refuse_import
from pysmpi.simulation.isolation.mpi4py_settings import isolate_workers
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.retained_state import Retained, retained_state
from pysmpi.simulation.isolation.shared_imports import SharedImport, SharedImports
from pysmpi.simulation.isolation.single_libraries import Packages, register
from pysmpi.simulation.isolation.verdicts import Found, Verdicts

__all__ = ["install", "isolate_values", "own_module", "when_loaded"]

Spec = importlib.machinery.ModuleSpec

_at_load: dict[str, Callable[[], None]] = {}  # changes to make once a module is loaded, by module name


def install(
    patches: Patches,
    directories: Iterable[str],
    packages: Iterable[str],
    chosen: Mapping[str, bool],
    copies: LibraryCopies,
) -> Verdicts:
    """Make each module that ranks import private or shared, by the rules in `verdicts`; return the decisions.

    Args:
        patches: record of the replaced attributes.
        directories: directories of the programs' own modules.
        packages: the programs' own packages, wherever they lie.
        chosen: the user's choice by package or module: True for private, False for shared.
        copies: copies of extension modules that ranks load.
    """
    register()
    finder = _Finder(directories, packages, chosen, copies)
    sys.meta_path.insert(0, finder)
    patches.at_undo(lambda: sys.meta_path.remove(finder))
    nested_imports.install(patches)
    _install_runs_of_files(patches)
    return finder.verdicts


def _install_runs_of_files(patches: Patches) -> None:
    """Make ``runpy.run_path`` compile each file only once, because all workers of mpi4py.futures run the same file."""
    read = getattr(runpy, "_get_code_from_file", None)
    if read is None:
        return
    compiled: dict[tuple[Any, ...], Any] = {}

    def read_once(*arguments: Any) -> Any:
        try:
            state = os.stat(arguments[-1])
        except OSError:
            return read(*arguments)
        key = (*arguments, os.getcwd(), state.st_ino, state.st_mtime_ns, state.st_size)
        if key not in compiled:
            compiled[key] = read(*arguments)
        return compiled[key]

    patches.set(runpy, "_get_code_from_file", read_once)


def when_loaded(patches: Patches, name: str, change: Callable[[], None]) -> None:
    """Call `change`, which modifies a shared module: at once if it is loaded, else after a rank has imported it."""
    if name in sys.modules:
        change()
    else:
        _at_load[name] = change
        patches.at_undo(_at_load.clear)


def own_module(rank: int, module: ModuleType) -> None:
    """Add a module to ``sys.modules`` for this rank only."""
    if sys.modules.get(module.__name__) is module:  # the import system has entered it for all ranks
        del sys.modules[module.__name__]
    isolate_entry(rank, sys.modules, module.__name__, module)


def isolate_values(module: ModuleType, retained: Retained) -> None:
    """Make later changes of a shared module's global variables and containers hold only for the rank that makes them.

    Args:
        module: the module.
        retained: its dictionaries, lists and sets.
    """
    isolate_assignments(module.__dict__)
    for container in retained.containers:
        isolate_contents(container)


class _Finder:
    """First finder on ``sys.meta_path`` during a simulation; lets a module run once per rank or once for all ranks."""

    def __init__(
        self, directories: Iterable[str], packages: Iterable[str], chosen: Mapping[str, bool], copies: LibraryCopies
    ) -> None:
        self._others = list(sys.meta_path)
        self.verdicts = Verdicts(self._find_elsewhere, directories, packages, chosen, copies)
        self._imports = _Imports(self.verdicts)
        copies.at_module(self._imports.note_copy)

    def _find_elsewhere(self, name: str, path: Sequence[str] | None) -> Spec | None:
        for finder in self._others:
            spec = finder.find_spec(name, path)
            if spec is not None:
                return spec
        return None

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Spec | None:
        """Return the module's spec, or None outside ranks.

        The spec's loader runs the module for this rank alone or once for all ranks, depending on the decision on the
        module.
        """
        rank = rank_of_thread()
        if rank < 0:
            return None
        found = self.verdicts.find(name, path)
        if found is None or found.spec.loader is None or not hasattr(found.spec.loader, "exec_module"):
            return None
        assert found.verdict is not None
        if self._imports.singles.is_single(found.spec):
            self._imports.singles.note_import(name, rank)
        if found.verdict.private:
            if found.code is None:
                self._imports.refuse_shared_importer(name)
            self._imports.in_progress.become_private(f"imports {name}, which is private")
            return _copied(found.spec, _PrivateLoader(found, rank))
        return _copied(found.spec, _SharedLoader(found, rank, self._imports))


class _Imports:
    """Imports of shared modules.

    If a shared module lies in a private package, each rank has its own package object, in which the module must be set
    as an attribute. So each rank runs the import; but the module's code runs only once, and all ranks get the same
    module object.

    Attributes:
        verdicts: decisions on which modules are private to each rank.
        in_progress: shared modules that are being imported.
        in_private: shared modules in private packages that a rank has imported, by name.
        singles: packages that only one rank may import.
    """

    def __init__(self, verdicts: Verdicts) -> None:
        self.verdicts = verdicts
        self.in_progress = SharedImports(verdicts, self._make_private)
        self.in_private: dict[str, ModuleType] = {}
        self.singles = Packages()

    def _make_private(self, entry: SharedImport) -> None:
        """Make a module private to the running rank, which has begun to import it as a shared module."""
        rank = lib.pysmpi_running_rank()
        self.in_private.pop(entry.name, None)
        own_module(rank, entry.module)
        _bind(rank, entry.module, complete=True)
        inside = entry.name + "."
        for name, module in list(sys.modules.items()):
            if name.startswith(inside) and isinstance(module, ModuleType) and not self.verdicts.is_private(name):
                self.give(rank, module)
                isolate_assignments(module.__dict__)

    def refuse_shared_importer(self, name: str) -> None:
        """End the simulation with an error if an extension module that all ranks share is importing the named one, of
        which each rank loads a copy."""
        importing = self.in_progress.extension_module()
        if importing is not None:
            refuse_import(importing, name)

    def note_copy(self, name: str) -> None:
        """Record that the running rank loads its own copy of an extension module. Modules that are importing it become
        private. The modules of its package that all ranks share already may refer to it, as petsc4py does: each later
        change of them holds only for the rank that makes it."""
        self.refuse_shared_importer(name)
        self.in_progress.become_private(f"imports {name}, which is private")
        package = name.partition(".")[0]
        for other, module in list(sys.modules.items()):
            is_shared = isinstance(module, ModuleType) and not self.verdicts.is_private(other)
            if is_shared and other.partition(".")[0] == package:
                isolate_assignments(module.__dict__)

    def give(self, rank: int, module: ModuleType) -> None:
        """Enter a shared module that lies in a private package into a rank's ``sys.modules``, and keep it for other
        ranks."""
        own_module(rank, module)
        self.in_private[module.__name__] = module


def _copied(spec: Spec, loader: Any) -> Spec:
    """Return a copy of a module's spec with another loader. Each import needs its own copy: the import system changes
    the spec, and the module keeps it as ``__spec__``."""
    own = Spec(spec.name, loader, origin=spec.origin, is_package=spec.submodule_search_locations is not None)
    if spec.submodule_search_locations is not None:
        own.submodule_search_locations = list(spec.submodule_search_locations)
    own.has_location = spec.has_location
    own.cached = spec.cached
    own.loader_state = spec.loader_state
    return own


class _Loader:
    """Base class of the loaders in this file. Each wraps the loader that the import system has chosen for a module; the
    module's ``__loader__`` is that loader, not the wrapper."""

    def __init__(self, found: Found) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the wrapped loader, such as ``get_code`` (which runpy calls) or ``get_source``."""
        return getattr(self._found.spec.loader, name)

    def create_module(self, spec: Spec) -> ModuleType | None:
        create = getattr(self._found.spec.loader, "create_module", None)
        made: ModuleType | None = create(spec) if create is not None else None
        return made

    def _show_own_loader(self, module: ModuleType) -> Any:
        loader: Any = self._found.spec.loader
        module.__loader__ = loader
        if module.__spec__ is not None:
            module.__spec__.loader = loader
        return loader


class _SharedLoader(_Loader):
    """Loader of a shared module. Its code runs once, in the first rank that imports it, as if before the ranks
    began."""

    def __init__(self, found: Found, rank: int, imports: _Imports) -> None:
        super().__init__(found)
        self._rank = rank
        self._imports = imports
        self._spec_before: Spec | None = None

    def create_module(self, spec: Spec) -> ModuleType | None:
        """Return the module object if another rank has already imported the module, else let the wrapped loader create
        it."""
        module = self._imports.in_private.get(spec.name)
        if module is None or getattr(module.__spec__, "origin", None) != spec.origin:
            return super().create_module(spec)
        self._spec_before = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run the module if this is the first rank that imports it, and make later changes of the module private to the
        rank that makes them."""
        verdicts = self._imports.verdicts
        if self._imports.in_private.get(module.__name__) is module:
            module.__spec__ = self._spec_before
            own_module(self._rank, module)
            self._import_again(module.__name__)
            return
        if verdicts.lies_in_private_package(module.__name__):
            self._imports.give(self._rank, module)
        entry = SharedImport(self._found, module)
        loader = self._show_own_loader(module)
        in_progress = self._imports.in_progress
        in_progress.begin(entry)
        try:
            loader.exec_module(module)
        except BaseException:
            in_progress.end(entry, complete=False)
            self._imports.in_private.pop(module.__name__, None)
            raise
        self._isolate_state(module)
        if self._imports.singles.is_single(self._found.spec):
            own_module(self._rank, module)
        if in_progress.end(entry, complete=True):
            change = _at_load.pop(module.__name__, None)
            if change is not None:
                change()

    def _isolate_state(self, module: ModuleType) -> None:
        """Let later changes of the module's variables hold only for the rank that makes them.

        If the module uses MPI and holds an object whose changes cannot be separated by ranks, such as a random
        generator, make it private instead.
        """
        found = self._found
        assert found.verdict is not None
        if found.verdict.private:
            return
        if found.verdict.stateless or module.__name__ in self._imports.in_private:
            isolate_assignments(module.__dict__)
        if found.verdict.final and found.code is None:
            return
        self._imports.verdicts.follow_use_of_mpi(module.__name__, found)
        if not found.uses_mpi and not found.mentions_mpi:
            return
        retained = retained_state(module)
        if found.uses_mpi and retained.other is not None and not found.verdict.final:
            self._imports.in_progress.become_private(f"uses MPI and holds {retained.other}")
            return
        isolate_values(module, retained)

    def _import_again(self, name: str) -> None:
        """Import for this rank the shared modules in private packages that the module imported when it ran in another
        rank."""
        for imported in self._imports.verdicts.imported_by(name, self._found):
            if imported in self._imports.in_private and imported not in sys.modules:
                importlib.import_module(imported)


class _PrivateLoader(_Loader):
    """Loader of a private module. Its code runs in each rank that imports it, but is compiled only once. If it is an
    extension module, each rank loads a copy."""

    def __init__(self, found: Found, rank: int) -> None:
        super().__init__(found)
        self._rank = rank

    def exec_module(self, module: ModuleType) -> None:
        loader = self._show_own_loader(module)
        own_module(self._rank, module)
        _bind(self._rank, module)
        code = self._found.code
        if code is None:
            loader.exec_module(module)
        else:
            exec(code, module.__dict__)
        if module.__name__ == "mpi4py.futures._core":
            isolate_workers(self._rank, module)


def _bind(rank: int, module: ModuleType, *, complete: bool = False) -> None:
    """Let the attribute ``package.module``, which refers to the module, be private to the rank.

    The import system sets it after the module has run; only this rank will see that value.

    If the import may already be complete (`complete`), the attribute keeps its value: the package may have assigned
    something else to it, as ``from .module import module`` does.
    """
    package, _, name = module.__name__.rpartition(".")
    parent = sys.modules.get(package)
    if parent is not None:
        isolate_entry(rank, parent.__dict__, name, vars(parent).get(name, module) if complete else module)
