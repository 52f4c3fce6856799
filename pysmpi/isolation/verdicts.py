"""Decision (verdict) of which modules are private to each rank, and which all ranks share.

A module is private if it is the program's own, or if it imports mpi4py directly or through other modules: such modules
often store the rank in a global variable, and some duplicate communicators at import. Extension modules, the standard
library, packages that never import mpi4py, and modules that provably hold no state are shared. No module is run for
this decision: imports are read from compiled code (`imports_of`).

A module is examined when a rank first imports it. Imports inside functions count only if they stay within the module's
own package; following all of them would mean reading many modules that are never imported.

Example: the program's directory contains the first three of these modules; the fourth is installed elsewhere. ::

    constants.py    GRAVITY = 9.81
    ids.py          rank = mpi4py.MPI.COMM_WORLD.Get_rank()
    report.py       from ids import rank
    tables.py       found = {}

With 4 ranks that import them, the verdicts are:

- constants is shared: it is the program's own, but holds no state. If rank 2 assigns ``constants.GRAVITY``, only rank 2
  sees the new value.
- ids is private: it is the program's own, and calls a function that may return a mutable object. It runs 4 times, and
  ``ids.rank`` is 0, 1, 2 or 3, depending on the rank that reads it.
- report is private: it holds no state itself, but imports a name from a private module. If it were shared, all ranks
  would see ``report.rank`` of the first rank that imports it.
- tables is shared: its dictionary is state, but it is not the program's own and never reaches mpi4py. It runs once, and
  an entry that one rank adds to ``found`` is seen by all ranks.
"""

import importlib.machinery
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from pysmpi.isolation.imports import Import, imports_of
from pysmpi.isolation.statelessness import state_of

__all__ = ["Found", "Verdict", "Verdicts"]

_STANDARD = sys.stdlib_module_names
_OURS = ("mpi4py", "mpi4py.MPI", "mpi4py._mpiabi", "mpi4py.typing")
_INSTALLED = tuple(
    str(Path(sysconfig.get_path(name)).resolve()) + "/" for name in ("purelib", "platlib", "stdlib", "platstdlib")
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Decision on whether a module is private to each rank, with the reason."""

    private: bool
    reason: str


_STANDARD_LIBRARY = Verdict(False, "standard library")


@dataclass(slots=True)
class Found:
    """Module that the import system can find, with the decision about it.

    Attributes:
        spec: spec by which the import system would load it.
        code: compiled code, or None for a module that is not written in Python.
        verdict: the decision, or None before it is made.
        asked: whether a rank has imported it.
    """

    spec: importlib.machinery.ModuleSpec
    code: CodeType | None
    verdict: Verdict | None = None
    asked: bool = False


class Verdicts:
    """Finder of modules that decides once for each module whether it is private to each rank.

    Args:
        find: function that returns the import system's spec for a module name and a path, or None.
        directories: directories of the programs' own modules.
        packages: the programs' own packages (``-m package``), wherever they lie.
    """

    def __init__(
        self,
        find: Callable[[str, Sequence[str] | None], importlib.machinery.ModuleSpec | None],
        directories: Iterable[str],
        packages: Iterable[str],
    ) -> None:
        self._find = find
        self._directories: tuple[str, ...] = ()
        self._packages = frozenset(packages)
        self._tables: dict[
            tuple[str, ...], dict[str, Found | None]
        ] = {}  # by sys.path, which may differ between programs
        self._found: dict[str, Found | None] = {}  # table of the importing rank's sys.path
        self._imported_before = frozenset(sys.modules)
        for directory in directories:
            self.add_program(directory, "")

    def add_program(self, directory: str, package: str) -> None:
        """Count the modules of another program among the programs' own modules.

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
        if found is not None:
            found.asked = True
            found.verdict = found.verdict or self._decide(name, found)
        return found

    def is_private(self, name: str) -> bool:
        """Return whether the module has already been decided to be private to each rank."""
        found = self._found.get(name)
        return found is not None and found.verdict is not None and found.verdict.private

    def lines(self) -> list[str]:
        """Return the lines that ``-v`` prints: modules that ranks have imported, in order, without the standard
        library."""
        lines: dict[str, None] = {}
        for table in self._tables.values():
            for name, found in table.items():
                if found is not None and found.asked and found.verdict not in {None, _STANDARD_LIBRARY}:
                    assert found.verdict is not None
                    whose = "private to each rank" if found.verdict.private else "shared by all ranks"
                    lines[f"{name}: {whose} ({found.verdict.reason})"] = None
        return list(lines)

    def _look_up(self, name: str, path: Sequence[str] | None) -> Found | None:
        if name not in self._found:
            try:
                spec = self._find(name, path)
            except KeyError:  # since Python 3.13: a namespace package looks for its parent, which is not imported
                return None
            self._found[name] = None if spec is None else Found(spec, _code_of(spec))
        return self._found[name]

    def _decide(self, name: str, found: Found) -> Verdict:
        shared = self._shared_at_once(name, found)
        if shared is not None:
            return Verdict(False, shared)
        reason = "the program's own" if self._is_the_programs(name, found) else self._reaches_mpi4py(name, found)
        if reason is None:
            return Verdict(False, "never reaches mpi4py")
        state = self._state(name, found)
        if state is None:
            return Verdict(False, f"{reason}, but holds no state")
        return Verdict(True, f"{reason}; {state}")

    def _shared_at_once(self, name: str, found: Found) -> str | None:
        if name.partition(".")[0] in _STANDARD and not self._is_the_programs(name, found):
            return _STANDARD_LIBRARY.reason
        if name in _OURS or name.partition(".")[0] == "pysmpi":
            return "part of the simulator"
        if isinstance(found.spec.loader, importlib.machinery.ExtensionFileLoader):
            return "extension module"
        return "not a Python source file" if found.code is None else None

    def _is_the_programs(self, name: str, found: Found) -> bool:
        if name.partition(".")[0] in self._packages:
            return True
        origin = str(Path(found.spec.origin or "").resolve())
        return origin.startswith(self._directories) and not origin.startswith(_INSTALLED)

    def _reaches_mpi4py(self, name: str, found: Found) -> str | None:
        """Return a text on how the module imports mpi4py (directly or through others), or None if it does not."""
        waiting: list[tuple[str, Found, str]] = [(name, found, "imports")]
        seen = {name}
        while waiting:
            module, current, how = waiting.pop(0)
            for imported, is_own in self._run_by(module, current):
                if imported == "mpi4py" or imported.startswith("mpi4py."):
                    return f"{how} mpi4py"
                if imported in seen or (not is_own and imported.partition(".")[0] in _STANDARD):
                    continue
                seen.add(imported)
                target = self._resolve(imported)
                if target is None or target.code is None:
                    continue
                if target.verdict is not None and target.verdict.private:
                    return f"{how} {imported}, which is private"
                if target.verdict is None:
                    waiting.append(
                        (imported, target, how if how != "imports" else f"imports {imported}, which imports")
                    )
        for each in seen:
            reached = self._found.get(each)
            if reached is not None and reached.verdict is None and not self._is_the_programs(each, reached):
                reached.verdict = Verdict(False, self._shared_at_once(each, reached) or "never reaches mpi4py")
        return None

    def _statements(self, name: str, found: Found) -> Iterable[tuple[Import, bool]]:
        """Yield the import statements to follow, and whether each stays within the module's own package."""
        if found.code is None:
            return
        top = name.partition(".")[0]
        package = name if found.spec.submodule_search_locations is not None else name.rpartition(".")[0]
        for statement in imports_of(found.code, package):
            is_own = statement.name.partition(".")[0] == top
            if is_own or not statement.nested or statement.name.partition(".")[0] == "mpi4py":
                yield statement, is_own

    def _run_by(self, name: str, found: Found) -> Iterable[tuple[str, bool]]:
        """Yield the modules that importing this module may run, and whether each belongs to the same package.

        A name imported from a package may be a submodule, so it is yielded as one.
        """
        for statement, is_own in self._statements(name, found):
            for module in _with_packages(statement.name):
                yield module, is_own
            for member in statement.members:
                yield f"{statement.name}.{member}", is_own

    def _held_by(self, name: str, found: Found) -> Iterable[str]:
        """Yield the modules that a module imports, or from which it imports names."""
        for statement, _ in self._statements(name, found):
            if not statement.members:
                yield from _with_packages(statement.name)
                continue
            members = [f"{statement.name}.{member}" for member in statement.members]
            modules = [member for member in members if self._resolve(member) is not None]
            if len(modules) < len(members):
                yield statement.name
            yield from modules

    def _resolve(self, name: str) -> Found | None:
        """Return a module that another one imports, or None if it need not be examined."""
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
        """Return the state that a module may hold, or None if it provably holds none and imports no private module."""
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
            if target.verdict is None:
                target.verdict = Verdict(True, "in a circle of imports")  # provisional, until the decision below
                target.verdict = self._decide(imported, target)
            if target.verdict.private:
                return f"imports {imported}, which is private"
        return None


def _with_packages(name: str) -> Iterable[str]:
    """Return the packages that contain a module, from the outermost on, and the module itself."""
    parts = name.split(".")
    return (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def _code_of(spec: importlib.machinery.ModuleSpec) -> CodeType | None:
    loader: Any = spec.loader
    if isinstance(loader, importlib.machinery.ExtensionFileLoader) or not hasattr(loader, "get_code"):
        return None
    code: CodeType | None = loader.get_code(spec.name)
    return code
