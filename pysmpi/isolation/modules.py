"""Imports in ranks: a private module runs once for each rank that imports it, a shared module once for all.

The first finder on ``sys.meta_path`` asks `verdicts` whether a module is private. Each rank has its own entry for a
private module in ``sys.modules``; native code swaps these entries when another rank runs. The module's code is compiled
once.
"""

import importlib.machinery
import os
import runpy
import sys
from collections.abc import Callable, Iterable, Sequence
from types import CodeType, ModuleType
from typing import Any

from pysmpi.isolation.current import isolate_entry, running_rank, shared_by_all
from pysmpi.isolation.interpreter import isolate_assignments
from pysmpi.isolation.mpi4py_settings import isolate_workers
from pysmpi.isolation.patching import Patches
from pysmpi.isolation.verdicts import Found, Verdicts
from pysmpi.native import lib

__all__ = ["install", "own_module", "when_loaded"]

Spec = importlib.machinery.ModuleSpec

_at_load: dict[str, Callable[[], None]] = {}  # changes to make once a module is loaded, by module name


def install(patches: Patches, directories: Iterable[str], packages: Iterable[str]) -> Verdicts:
    """Let ranks import modules as private or shared, as decided by `verdicts`.

    Args:
        patches: record of the replaced attributes.
        directories: directories of the programs' own modules.
        packages: the programs' own packages, wherever they lie.
    """
    finder = _Finder(directories, packages)
    patches.set(sys, "meta_path", [finder, *sys.meta_path])
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


class _Finder:
    """First finder on ``sys.meta_path`` during a simulation."""

    def __init__(self, directories: Iterable[str], packages: Iterable[str]) -> None:
        self._others = list(sys.meta_path)
        self.verdicts = Verdicts(self._find_elsewhere, directories, packages)
        self._shared_in_private: dict[str, ModuleType] = {}

    def _find_elsewhere(self, name: str, path: Sequence[str] | None) -> Spec | None:
        for finder in self._others:
            spec = finder.find_spec(name, path)
            if spec is not None:
                return spec
        return None

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Spec | None:
        """Return a spec that loads the module as private or shared, or None outside ranks."""
        rank = lib.pysmpi_running_rank()
        if rank < 0:
            return None
        found = self.verdicts.find(name, path)
        if found is None or found.spec.loader is None or not hasattr(found.spec.loader, "exec_module"):
            return None
        assert found.verdict is not None
        if running_rank() < 0:  # imported by a shared module
            return _copied(found.spec, _SharedLoader(found))
        if found.verdict.private:
            return _copied(found.spec, _PrivateLoader(found, rank))
        if self._package_is_private(name):
            return _copied(found.spec, _SharedInPrivateLoader(found, rank, self._shared_in_private))
        return _copied(found.spec, _SharedLoader(found))

    def _package_is_private(self, name: str) -> bool:
        package = name.rpartition(".")[0]
        return bool(package) and self.verdicts.is_private(package)


def _copied(spec: Spec, loader: Any) -> Spec:
    """Return a copy of a spec for one import, because the import system changes specs and modules keep them."""
    own = Spec(spec.name, loader, origin=spec.origin, is_package=spec.submodule_search_locations is not None)
    if spec.submodule_search_locations is not None:
        own.submodule_search_locations = list(spec.submodule_search_locations)
    own.has_location = spec.has_location
    own.cached = spec.cached
    own.loader_state = spec.loader_state
    return own


class _Loader:
    """Base class of the loaders here. They wrap a module's own loader, to which ``__loader__`` still refers."""

    def __init__(self, found: Found) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        """Return another attribute of the module's loader, such as ``get_code`` (which runpy calls) or
        ``get_source``."""
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
    """Loader of a shared module, which runs once, as if before the ranks began."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module for all ranks.

        If the module is shared because it holds no state, later assignments to its attributes are private to a rank.
        """
        loader = self._show_own_loader(module)
        with shared_by_all():
            loader.exec_module(module)
        change = _at_load.pop(module.__name__, None)
        if change is not None:
            change()
        assert self._found.verdict is not None
        if self._found.verdict.reason.endswith("holds no state"):
            isolate_assignments(module.__dict__)


class _PrivateLoader(_Loader):
    """Loader of a private module, which runs for each rank from code that is compiled once."""

    def __init__(self, found: Found, rank: int) -> None:
        super().__init__(found)
        self._rank = rank

    def exec_module(self, module: ModuleType) -> None:
        self._show_own_loader(module)
        own_module(self._rank, module)
        _bind(self._rank, module)
        code = self._found.code
        assert isinstance(code, CodeType)
        exec(code, module.__dict__)
        if module.__name__ == "mpi4py.futures._core":
            isolate_workers(self._rank, module)


class _SharedInPrivateLoader(_SharedLoader):
    """Loader of a shared module in a private package.

    Each rank imports the module, because the rank's own package must get it as an attribute. All ranks get the same
    module.
    """

    def __init__(self, found: Found, rank: int, loaded: dict[str, ModuleType]) -> None:
        super().__init__(found)
        self._rank = rank
        self._loaded = loaded
        self._spec_before: Spec | None = None

    def create_module(self, spec: Spec) -> ModuleType | None:
        """Return the module that another rank has imported, or let the module's loader create it."""
        module = self._loaded.get(spec.name)
        if module is None:
            return super().create_module(spec)
        self._spec_before = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run the module if this is the first rank that imports it."""
        own_module(self._rank, module)
        if self._spec_before is not None:
            module.__spec__ = self._spec_before
            return
        self._loaded[module.__name__] = module
        super().exec_module(module)


def _bind(rank: int, module: ModuleType) -> None:
    """Make the package's attribute for the module private to the rank, before the import system sets it."""
    package, _, name = module.__name__.rpartition(".")
    parent = sys.modules.get(package)
    if parent is not None:
        isolate_entry(rank, parent.__dict__, name, module)
