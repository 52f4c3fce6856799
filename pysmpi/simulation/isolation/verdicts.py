"""Decision (verdict) of which modules are private to each rank, and which all ranks share.

The program's own modules are private unless they provably hold no state (`statelessness`). They lie in its directory,
or in another folder of the search path that is not one of installed packages (``site-packages``). An installed module
runs once, for all ranks, unless one of these reasons makes it private:

- Its import depends on the rank: it calls MPI, for example. This is found out while the first rank imports it
  (`shared_imports`).
- It imports mpi4py, directly or through other modules, and holds an object whose state may depend on the rank
  (`retained_state`).
- It imports a private module.
- It belongs to a package with extension modules of which each rank loads a copy (`library_copies`).

Other extension modules and the standard library are shared. The user's choice (``--share``, ``--private``) precedes all
other reasons.

Example: the program's directory contains the modules constants and results; the other three are installed elsewhere. ::

    constants.py    GRAVITY = 9.81
    results.py      found = []
    ids.py          rank = mpi4py.MPI.COMM_WORLD.Get_rank()
    report.py       from ids import rank
    tables.py       found = {}

With 4 ranks that import them, the verdicts are:

- constants is shared: it is the program's own, but holds no state. If rank 2 assigns ``constants.GRAVITY``, only rank 2
  sees the new value.
- results is private: it is the program's own, and its list is state. It runs 4 times.
- ids is private: it calls MPI while it is imported. It runs 4 times, and ``ids.rank`` is 0, 1, 2 or 3, depending on the
  rank that reads it.
- report is private: it imports a name from a private module. If it were shared, all ranks would see ``report.rank`` of
  the first rank that imports it.
- tables is shared: nothing in it depends on the rank. It runs once, and an entry that one rank adds to ``found`` is
  seen by all ranks.
"""

import importlib.machinery
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from pysmpi.errors import did_you_mean
from pysmpi.simulation.isolation.imports import Import, imports_of
from pysmpi.simulation.isolation.library_copies import LibraryCopies
from pysmpi.simulation.isolation.statelessness import state_of

__all__ = ["Found", "Verdict", "Verdicts", "with_packages"]

_STANDARD = sys.stdlib_module_names
_OURS = ("mpi4py", "mpi4py.MPI", "mpi4py._mpiabi", "mpi4py.typing")
_SITES = frozenset(("site-packages", "dist-packages"))  # folders of installed packages, in any environment
_INSTALLED = tuple(
    str(Path(sysconfig.get_path(name)).resolve()) + "/" for name in ("purelib", "platlib", "stdlib", "platstdlib")
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Decision on whether a module is private to each rank, with the reason.

    Attributes:
        private: whether the module runs once for each rank that imports it.
        reason: reason that ``-v`` prints.
        final: whether the decision holds even if the import turns out to depend on the rank.
        stateless: whether the module provably holds no state.
    """

    private: bool
    reason: str
    final: bool = False
    stateless: bool = False


_STANDARD_LIBRARY = Verdict(False, "standard library", final=True)
_CIRCLE = Verdict(True, "in a circle of imports")


@dataclass(slots=True)
class Found:
    """Module that the import system can find, with the decision about it.

    Attributes:
        spec: spec by which the import system would load it.
        code: compiled code, or None for a module that is not written in Python.
        verdict: the decision, or None before it is made.
        path: ``__path__`` of its package when it was found, or empty for a top-level module.
        asked: whether a rank has imported it.
        mentions_mpi: whether its code names mpi4py in an import statement or a string, even if only in a function.
        uses_mpi: whether it imports mpi4py while it is imported, directly or through other modules.
    """

    spec: importlib.machinery.ModuleSpec
    code: CodeType | None
    verdict: Verdict | None = None
    path: tuple[str, ...] = ()
    asked: bool = False
    mentions_mpi: bool = False
    uses_mpi: bool = False


class Verdicts:
    """Finder of modules that decides once for each module whether it is private to each rank.

    Args:
        find: function that returns the import system's spec for a module name and a path, or None.
        directories: directories of the programs' own modules.
        packages: the programs' own packages (``-m package``), wherever they lie.
        chosen: the user's choice by package or module: True for private, False for shared.
        copies: copies of extension modules that ranks load.
    """

    def __init__(
        self,
        find: Callable[[str, Sequence[str] | None], importlib.machinery.ModuleSpec | None],
        directories: Iterable[str],
        packages: Iterable[str],
        chosen: Mapping[str, bool],
        copies: LibraryCopies,
    ) -> None:
        self._find = find
        self._copies = copies
        self._directories: tuple[str, ...] = ()
        self._packages = frozenset(packages)
        self._chosen = chosen
        # Modules found, by name. There is a table for each sys.path, which may differ between programs, and for each
        # module whose package has another path than in the first search (key: module's name and package's path).
        self._tables: dict[tuple[str, ...], dict[str, Found | None]] = {}
        self._found: dict[str, Found | None] = {}  # table of the importing rank's sys.path
        self._imported_before = frozenset(sys.modules)
        for directory in directories:
            self.add_program(directory, "")

    def add_program(self, directory: str, package: str) -> None:
        """Treat the modules of another program as the programs' own modules, which may be private to ranks.

        Args:
            directory: directory of the program's own modules.
            package: name of the program's own package, or "" for none.
        """
        folder = str(Path(directory).resolve()) + "/"
        if folder not in self._directories:
            self._directories += (folder,)
        if package:
            self._packages |= {package}

    def find(self, name: str, path: Sequence[str] | None) -> Found | None:
        """Find a module and decide whether it is private to each rank. Return None if the module does not exist.

        Args:
            name: absolute name of the module.
            path: ``__path__`` of the module's package, or None for a top-level module.
        """
        self._found = self._tables.setdefault(tuple(sys.path), {})
        found = self._look_up(name, path)
        if path is not None and (found is None or found.path != tuple(path)):
            found = self._look_up_again(name, path, found)
        if found is not None:
            found.asked = True
            found.verdict = found.verdict or self._decide(name, found)
        return found

    def is_private(self, name: str) -> bool:
        """Return whether the module has already been decided to be private to each rank."""
        # A rank may have changed sys.path since the module was imported: look into the tables of all search paths.
        known = (table.get(name) for table in self._tables.values())
        return any(found is not None and found.verdict is not None and found.verdict.private for found in known)

    def lies_in_private_package(self, name: str) -> bool:
        """Return whether one of the packages that contain the module is private."""
        return any(self.is_private(package) for package in with_packages(name.rpartition(".")[0]))

    def private_import(self, name: str, found: Found) -> str | None:
        """Return a private module that this module imports, or imports names from, at its top level; None if there is
        none."""
        return self._first_private(name, self._held_by(name, found))

    def private_target(self, name: str, statement: Import) -> str | None:
        """Return a private module that this import statement makes the module refer to, or None if it imports no
        private module."""
        named = [*with_packages(statement.name), *(f"{statement.name}.{member}" for member in statement.members)]
        if not any(map(self.is_private, named)):  # usual, and quicker than to look for modules
            return None
        return self._first_private(name, self._held_after(name, statement))

    def _first_private(self, name: str, held: Iterable[str]) -> str | None:
        return next((each for each in held if each != name and self.is_private(each)), None)

    def imported_by(self, name: str, found: Found) -> Iterable[str]:
        """Iterate over the modules that the named module imports at its top level.

        Some may not exist: in ``from package import name``, the name need not be a module.
        """
        for statement in self._statements(name, found):
            yield from with_packages(statement.name)
            for member in statement.members:
                yield f"{statement.name}.{member}"

    def follow_use_of_mpi(self, name: str, found: Found) -> None:
        """Mark a module as using MPI if one of the modules that it imports uses MPI."""
        for imported in self.imported_by(name, found):
            others = (table.get(imported) for table in self._tables.values())
            found.uses_mpi = found.uses_mpi or any(other is not None and other.uses_mpi for other in others)

    def lines(self) -> list[str]:
        """Return the lines that ``-v`` prints: modules that ranks have imported, in order, without the standard
        library."""
        lines: dict[str, None] = {}
        for name, verdict in self._asked():
            if verdict is not _STANDARD_LIBRARY:
                whose = "private to each rank" if verdict.private else "shared by all ranks"
                lines[f"{name}: {whose} ({verdict.reason})"] = None
        return list(lines)

    def unused_choices(self) -> list[str]:
        """Return a warning for each ``--share NAME`` or ``--private NAME`` whose module or package no rank has
        imported."""
        imported = {package: None for name, _ in self._asked() for package in with_packages(name)}
        lines = []
        for name, private in self._chosen.items():
            if name not in imported:
                hint = did_you_mean(name, imported)
                option = "--private" if private else "--share"
                lines.append(f"{option} {name} has no effect: no rank has imported {name!r}{hint}")
        return lines

    def _asked(self) -> Iterable[tuple[str, Verdict]]:
        for table in self._tables.values():
            for name, found in table.items():
                if found is not None and found.asked and found.verdict is not None:
                    yield name, found.verdict

    def _look_up(self, name: str, path: Sequence[str] | None) -> Found | None:
        if name not in self._found:
            try:
                self._found[name] = self._search(name, path)
            except KeyError:  # since Python 3.13: a namespace package looks for its parent, which is not imported
                return None
        return self._found[name]

    def _search(self, name: str, path: Sequence[str] | None) -> Found | None:
        spec = self._find(name, path)
        return None if spec is None else Found(spec, _code_of(spec), path=tuple(path or ()))

    def _look_up_again(self, name: str, path: Sequence[str], before: Found | None) -> Found | None:
        """Find a module whose package has another ``__path__`` in this rank than in an earlier search.

        `before` is the result of the earlier search, or None if the module was not found.
        """
        table = self._tables.get((name, *path), {})
        if name not in table:
            try:
                found = self._search(name, path)
            except KeyError:  # a namespace package whose parent is not imported, as in `_look_up`
                return before
            if found is None:
                return None
            if before is not None and before.spec.origin == found.spec.origin:
                return before
            table = self._tables.setdefault((name, *path), {name: found})
        return table[name]

    def _decide(self, name: str, found: Found) -> Verdict:
        shared = self._shared_at_once(name, found)
        if shared is not None:
            return shared
        for statement in _imports(name, found):
            if statement.name.partition(".")[0] == "mpi4py":
                found.mentions_mpi = True
                found.uses_mpi = found.uses_mpi or not (statement.nested or statement.quoted)
        chosen = self._choice(name)
        if chosen is not None:
            return Verdict(chosen, "--private" if chosen else "--share", final=True)
        if not self._is_the_programs(name, found):
            imported = self.private_import(name, found)
            if imported is not None:
                return Verdict(True, f"imports {imported}, which is private")
            if self._copies.copied_beside(name) is not None:
                return Verdict(True, "belongs to a package of whose extension modules each rank loads copies")
            return Verdict(False, "its import does not depend on the rank")
        state = self._state(name, found)
        if state is None:
            return Verdict(False, "the program's own, but holds no state", stateless=True)
        return Verdict(True, f"the program's own; {state}")

    def _choice(self, name: str) -> bool | None:
        """Return the user's choice for the innermost package that contains the module, or None."""
        for package in reversed(list(with_packages(name))):
            if package in self._chosen:
                return self._chosen[package]
        return None

    def _shared_at_once(self, name: str, found: Found) -> Verdict | None:
        if name.partition(".")[0] in _STANDARD and not self._is_the_programs(name, found):
            return _STANDARD_LIBRARY
        if name in _OURS or name.partition(".")[0] == "pysmpi":
            return Verdict(False, "part of the simulator", final=True)
        if isinstance(found.spec.loader, importlib.machinery.ExtensionFileLoader):
            reason = self._copies.reason_to_copy(name, found.spec.origin or "")
            if reason is None:
                return Verdict(False, "extension module", final=True)
            return Verdict(True, f"extension module, of which each rank loads a copy: {reason}", final=True)
        return Verdict(False, "not a Python source file", final=True) if found.code is None else None

    def _is_the_programs(self, name: str, found: Found) -> bool:
        """Return whether a module is the program's own: it lies beside the program, or in another folder into which
        nobody installs packages, such as one that PYTHONPATH names."""
        if name.partition(".")[0] in self._packages:
            return True
        if not found.spec.has_location:
            return False
        path = Path(found.spec.origin or "").resolve()
        if any(str(path).startswith(folder) and not _is_installed(str(path), folder) for folder in self._directories):
            return True
        if name.partition(".")[0] in _STANDARD or str(path).startswith(_INSTALLED):
            return False
        return _SITES.isdisjoint(path.parts) and _SITES.isdisjoint(Path(found.spec.origin or "").parts)

    def _statements(self, name: str, found: Found) -> Iterable[Import]:
        """Iterate over the import statements that run when the module is imported."""
        return (each for each in _imports(name, found) if not each.nested and not each.quoted)

    def _held_by(self, name: str, found: Found) -> Iterable[str]:
        """Iterate over the modules that a module imports, or imports names from, at its top level."""
        return (held for each in self._statements(name, found) for held in self._held_after(name, each))

    def _held_after(self, name: str, statement: Import) -> Iterable[str]:
        """Iterate over the modules that a module imports, or imports names from, by one import statement.

        Packages outside the module's own top-level package are included even if only a submodule is imported from them,
        because importing a package may run code that depends on the rank.
        """
        is_own = statement.name.partition(".")[0] == name.partition(".")[0]
        if not statement.members or not is_own:
            yield from with_packages(statement.name)
        members = [f"{statement.name}.{member}" for member in statement.members]
        modules = [member for member in members if self._resolve(member) is not None]
        if is_own and len(modules) < len(members):
            yield statement.name
        yield from modules

    def _resolve(self, name: str) -> Found | None:
        """Return the module with this name, or None if it does not exist or is certainly shared (standard library, or
        imported before the simulation)."""
        if name in self._found:
            return self._found[name]
        if name in self._imported_before or name.partition(".")[0] in _STANDARD:
            return None
        parent = name.rpartition(".")[0]
        path: Sequence[str] | None = None
        if parent:
            package = self._resolve(parent)
            if package is not None:
                locations = package.spec.submodule_search_locations
            else:
                locations = getattr(sys.modules.get(parent), "__path__", None)
            if locations is None:
                return None
            path = list(locations)
        try:
            return self._look_up(name, path)
        except (ImportError, ValueError, SyntaxError):
            return None

    def _state(self, name: str, found: Found) -> str | None:
        """Return the reason why a program's own module must be private, or None if it may be shared.

        The reason is state that the module may hold, or a private module that it imports.
        """
        get_source = getattr(found.spec.loader, "get_source", None)
        if get_source is None:
            return "without source"
        state = state_of(get_source(found.spec.name) or "")
        if state is not None:
            return state
        for imported in self._held_by(name, found):
            target = self._resolve(imported)
            if target is None or imported == name:
                continue
            if target.verdict is None and self._is_the_programs(imported, target):
                target.verdict = _CIRCLE  # provisional, until the decision below
                target.verdict = self._decide(imported, target)
            if target.verdict is not None and target.verdict.private:
                return f"imports {imported}, which is private"
        return None


def with_packages(name: str) -> Iterable[str]:
    """Return the packages that contain a module, from the outermost on, and the module itself."""
    parts = name.split(".") if name else []
    return (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def _is_installed(origin: str, folder: str) -> bool:
    """Return whether a file of `folder` belongs to an environment in that folder, such as .venv beside the program.

    If the program itself is installed, the modules in its folder are not: the folder lies in an environment, but
    contains none.
    """
    return any(origin.startswith(each) and each.startswith(folder) for each in _INSTALLED)


def _imports(name: str, found: Found) -> Iterable[Import]:
    if found.code is None:
        return ()
    is_package = found.spec.submodule_search_locations is not None
    return imports_of(found.code, name if is_package else name.rpartition(".")[0])


def _code_of(spec: importlib.machinery.ModuleSpec) -> CodeType | None:
    loader: Any = spec.loader
    if isinstance(loader, importlib.machinery.ExtensionFileLoader) or not hasattr(loader, "get_code"):
        return None
    code: CodeType | None = loader.get_code(spec.name)
    return code
