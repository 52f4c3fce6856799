"""Which modules each rank has for itself, and which all ranks share.

Private is a module that is the program's own, or that imports mpi4py directly or through other modules: packages keep
the rank at module level, some duplicate communicators at import. Shared are extension modules, the standard library,
packages that never reach mpi4py, and modules that provably hold no state. Nothing is run to find out: imports are read
from compiled code (`imports_of`).

A module is asked about when a rank first imports it; imports inside functions count when they stay inside the module's
own package, as following the others would mean to read much that is never imported.
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
    """Whether a module is private to each rank, and why."""

    private: bool
    reason: str


_STANDARD_LIBRARY = Verdict(False, "standard library")


@dataclass(slots=True)
class Found:
    """A module that was found and not yet run.

    Attributes:
        spec: how the import system would load it.
        code: its code; None for what is not Python.
        verdict: None until it is known.
        asked: a rank has imported it.
    """

    spec: importlib.machinery.ModuleSpec
    code: CodeType | None
    verdict: Verdict | None = None
    asked: bool = False


class Verdicts:
    """Finds modules and decides about them, each once.

    Args:
        find: what the import system finds for a module's name on a path.
        directories: where the programs' own modules lie.
        packages: programs' own packages (``-m package``), wherever they lie.
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
        self._tables: dict[tuple[str, ...], dict[str, Found | None]] = {}  # by sys.path: programs may have their own
        self._found: dict[str, Found | None] = {}  # that of the rank that imports
        self._imported_before = frozenset(sys.modules)
        for directory in directories:
            self.add_program(directory, "")

    def add_program(self, directory: str, package: str) -> None:
        """One more program.

        Args:
            directory: where its own modules lie.
            package: its own package, or "".
        """
        folder = str(Path(directory).resolve()) + "/"
        if folder not in self._directories:
            self._directories += (folder,)
        if package:
            self._packages |= {package}

    def find(self, name: str, path: Sequence[str] | None) -> Found | None:
        """The module of this name with its verdict; None when there is none.

        Args:
            name: absolute.
            path: where to look for it: its package's ``__path__``, or None.
        """
        self._found = self._tables.setdefault(tuple(sys.path), {})
        found = self._look_up(name, path)
        if found is not None:
            found.asked = True
            found.verdict = found.verdict or self._decide(name, found)
        return found

    def is_private(self, name: str) -> bool:
        """The module has been found, for the rank that imports, to be private."""
        found = self._found.get(name)
        return found is not None and found.verdict is not None and found.verdict.private

    def lines(self) -> list[str]:
        """What ``-v`` prints: each module that ranks have imported, the standard library's left out, in that order."""
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
            except KeyError:  # from Python 3.13 on: a namespace package that nobody imports looks for its parent
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
        """How it reaches mpi4py; None when it does not, in which case nothing that it imports does."""
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
        """Its import statements that count, and whether they stay inside its own package."""
        if found.code is None:
            return
        top = name.partition(".")[0]
        package = name if found.spec.submodule_search_locations is not None else name.rpartition(".")[0]
        for statement in imports_of(found.code, package):
            is_own = statement.name.partition(".")[0] == top
            if is_own or not statement.nested or statement.name.partition(".")[0] == "mpi4py":
                yield statement, is_own

    def _run_by(self, name: str, found: Found) -> Iterable[tuple[str, bool]]:
        """The modules that run when it is imported, possible submodules included; whether they are of its package."""
        for statement, is_own in self._statements(name, found):
            for module in _with_packages(statement.name):
                yield module, is_own
            for member in statement.members:
                yield f"{statement.name}.{member}", is_own

    def _held_by(self, name: str, found: Found) -> Iterable[str]:
        """The modules that it keeps, or keeps things of."""
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
        """A module that another one imports."""
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
        """The state that a module may hold; None when it provably holds none and none of what it imports is private."""
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
                target.verdict = Verdict(True, "in a circle of imports")  # unless it turns out otherwise
                target.verdict = self._decide(imported, target)
            if target.verdict.private:
                return f"imports {imported}, which is private"
        return None


def _with_packages(name: str) -> Iterable[str]:
    """The packages that a module lies in, from the outermost on, and itself."""
    parts = name.split(".")
    return (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def _code_of(spec: importlib.machinery.ModuleSpec) -> CodeType | None:
    loader: Any = spec.loader
    if isinstance(loader, importlib.machinery.ExtensionFileLoader) or not hasattr(loader, "get_code"):
        return None
    code: CodeType | None = loader.get_code(spec.name)
    return code
