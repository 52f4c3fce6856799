"""Programs of ranks: a script, a module (``-m``), an executable or a function.

Python code is compiled once for all ranks.
"""

import functools
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from pysmpi.errors import LaunchError, did_you_mean, nearest
from pysmpi.simulation.executables.executable import BEGINNINGS, Executable
from pysmpi.simulation.launch.binding import bind
from pysmpi.util.wings import language_of_program

__all__ = [
    "ExecutableProgram",
    "FunctionProgram",
    "MainProgram",
    "Program",
    "code_program",
    "located_module_program",
    "module_program",
    "program_of_file",
    "script_program",
]


@dataclass
class MainProgram:
    """Program that runs as ``__main__``.

    Args:
        code: compiled code.
        arguments: ``sys.argv`` of the program.
        search_path: first entry of ``sys.path``.
        namespace: global variables of the module ``__main__`` before the code runs.
        package: package that contains the program (``-m package.module``), or "".
        directory: working directory, or None for that of the launcher.
        flags: fields of ``sys.flags`` that differ from the launcher's.
        start: simulated time in seconds at which the ranks begin to run the code.
    """

    code: CodeType
    arguments: list[str]
    search_path: str
    namespace: dict[str, Any] = field(default_factory=dict)
    package: str = ""
    directory: str | None = None
    flags: Mapping[str, int] = field(default_factory=dict)
    start: float = 0.0

    @property
    def words(self) -> str:
        """Command line of the program, as one text."""
        return " ".join(self.arguments)

    def new_main(self) -> ModuleType:
        """Return a new module ``__main__`` for a rank, with the contents of `namespace`."""
        module = ModuleType("__main__")
        module.__dict__.update(self.namespace)
        return module


@dataclass
class FunctionProgram:
    """Function that each rank calls.

    Args:
        function: the function. Each rank sees the globals of its module as they were when the simulation began, and
            keeps its own assignments to them.
        positional: positional arguments.
        named: keyword arguments.
    """

    function: Callable[..., Any]
    positional: Sequence[Any] = ()
    named: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Name of the function with parentheses, such as "solve()", which stands for the command line."""
        return f"{getattr(self.function, '__name__', self.function)}()"

    @property
    def globals(self) -> dict[str, Any] | None:
        """Globals of the function's module, or None for a function without globals, such as one written in C."""
        function: Any = self.function
        while isinstance(function, functools.partial):
            function = function.func
        if not hasattr(function, "__globals__"):  # an object with a method __call__
            function = type(function).__call__
        return getattr(function, "__globals__", None)


@dataclass
class ExecutableProgram:
    """Executable that each rank runs.

    Args:
        executable: the executable.
        arguments: words of its command line, the first of which is its name.
        directory: working directory, or None for that of the launcher.
        start: simulated time in seconds at which the ranks begin to run it.
    """

    executable: Executable
    arguments: list[str]
    directory: str | None = None
    start: float = 0.0

    @property
    def words(self) -> str:
        """Command line of the program, as one text."""
        return " ".join(self.arguments)


Program = MainProgram | ExecutableProgram | FunctionProgram


def script_program(path: str | os.PathLike[str], arguments: Sequence[str]) -> MainProgram | ExecutableProgram:
    """Load a program that ranks can run: a Python script, a directory or zip file that has a ``__main__.py``, or an
    executable.

    Args:
        path: path of the file or directory.
        arguments: command-line arguments of the program.

    Raises:
        LaunchError: the file does not exist or cannot be read, or is an executable that cannot run in ranks.
        SyntaxError: the file is not valid Python.
    """
    name = os.fspath(path)
    script = Path(name)
    try:
        if script.is_dir() or script.suffix in {".pyz", ".zip"}:
            return _container_program(name, arguments)
        source = script.read_bytes()
    except FileNotFoundError as error:
        siblings = [entry.name for entry in script.parent.glob("*.py")] if script.parent.is_dir() else []
        match = nearest(script.name, sorted(siblings))
        hint = f"; did you mean {str(script.with_name(match))!r}?" if match else ""
        raise LaunchError(f"cannot find the script {name!r}{hint}") from error
    except OSError as error:
        raise LaunchError(f"cannot read the script {name!r}: {error.strerror}") from error
    except ValueError as error:
        if "\0" not in name:
            raise
        raise LaunchError(f"cannot read the script {name!r}: a file name cannot contain a null character") from error
    if source.startswith(BEGINNINGS):
        return ExecutableProgram(Executable.read(script), [name, *arguments])
    if b"\0" in source:
        raise LaunchError(f"cannot run {name!r}: it is neither a Python program nor an executable")
    loader = importlib.machinery.SourceFileLoader("__main__", name)
    return MainProgram(
        code=compile(source, name, "exec", dont_inherit=True),
        arguments=[name, *arguments],
        search_path=str(script.resolve().parent),
        namespace={"__file__": name, "__loader__": loader, "__cached__": None, "__builtins__": __builtins__},
    )


def program_of_file(
    path: str | os.PathLike[str], arguments: Sequence[str], ranks: int, platform: str | None
) -> MainProgram | ExecutableProgram:
    """Load a file as a program that ranks can run: a Python script, an executable, or a model of a program in a
    language such as Aspen.

    Args:
        path: path of the file.
        arguments: command-line arguments of the program.
        ranks: number of ranks.
        platform: name of the platform, which a model of a program may use as its machine.

    Raises:
        LaunchError: the file does not exist, or cannot be read or run.
        PlacedError: the model of a program is not valid.
        SyntaxError: the script is not valid Python.
    """
    name = os.fspath(path)
    language = language_of_program(name)
    if language is None:
        return script_program(name, arguments)
    words = language.words(name, arguments, platform)
    language.check(words, ranks)
    return module_program(language.module, words)


def code_program(source: str, arguments: Sequence[str]) -> MainProgram:
    """Return the program that ``python -c source`` would run.

    Raises:
        SyntaxError: the source is not valid Python.
    """
    return MainProgram(
        code=compile(source, "<string>", "exec", dont_inherit=True),
        arguments=["-c", *arguments],
        search_path="",
        namespace={"__builtins__": __builtins__},
    )


def module_program(name: str, arguments: Sequence[str]) -> MainProgram:
    """Return the program that ``python -m name`` would run.

    Raises:
        LaunchError: the module does not exist, or cannot be run.
        BindingError: mpi4py cannot be bound to the simulator.
    """
    directory = str(Path.cwd())
    spec = _located(name, [directory, *sys.path])
    if spec is not None:
        return _program_of_spec(spec, name, arguments, directory)
    bind()  # _find_main imports the packages that contain the module, and these may import mpi4py
    before = list(sys.path)
    sys.path.insert(0, directory)
    try:
        return _program_of_spec(_find_main(name), name, arguments, directory)
    finally:
        sys.path[:] = before


def located_module_program(name: str, arguments: Sequence[str], path: Sequence[str]) -> MainProgram:
    """Return the program that ``python -m name`` would run, without importing any module; usable inside ranks.

    Args:
        name: name of the module.
        arguments: command-line arguments.
        path: directories to search for the module, the working directory first.

    Raises:
        LaunchError: the module does not exist, or cannot be run.
    """
    spec = _located(name, path)
    if spec is None:
        raise LaunchError(f"cannot find a module {name!r} to run, or it is a package without a __main__.py")
    return _program_of_spec(spec, name, arguments, path[0])


def _located(name: str, path: Sequence[str]) -> importlib.machinery.ModuleSpec | None:
    """Locate a module without importing the packages that contain it, because each rank imports its own copies.

    Returns None if the module does not exist, or if it lies in a package without an __init__.py that itself lies in
    such a package: Python finds the inner one only after importing the outer one.
    """
    places: Sequence[str] = path
    found: importlib.machinery.ModuleSpec | None = None
    parts = [*name.split("."), "__main__"]
    for i in range(1, len(parts) + 1):
        try:
            spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:i]), places)
        except KeyError:  # the containing package has not been imported, and has no __init__.py
            return None
        if spec is None:
            return None
        found = spec
        if i == len(parts) - 1 and spec.submodule_search_locations is None:
            return found
        places = spec.submodule_search_locations or []
    return found


def _program_of_spec(
    spec: importlib.machinery.ModuleSpec, name: str, arguments: Sequence[str], directory: str
) -> MainProgram:
    loader = spec.loader
    code = loader.get_code(spec.name) if loader is not None and hasattr(loader, "get_code") else None
    if code is None or spec.origin is None:
        raise LaunchError(f"module {name!r} cannot be run: it is not a Python source file")
    return MainProgram(
        code=code,
        arguments=[spec.origin, *arguments],
        search_path=directory,
        package=(spec.parent or "").partition(".")[0],
        namespace={
            "__file__": spec.origin,
            "__loader__": loader,
            "__spec__": spec,
            "__package__": spec.parent,
            "__cached__": spec.cached,
            "__builtins__": __builtins__,
        },
    )


def _find_main(name: str) -> importlib.machinery.ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
            if spec is None:
                raise LaunchError(f"package {name!r} cannot be run: it has no __main__.py")
    except (ImportError, AttributeError, ValueError) as error:
        raise LaunchError(f"cannot find a module {name!r} to run: {error}") from error
    if spec is None:
        top_level = sorted({entry.stem for entry in Path.cwd().glob("*.py")} | set(sys.modules))
        hint = did_you_mean(name, [entry for entry in top_level if "." not in entry])
        raise LaunchError(f"cannot find a module {name!r} to run{hint}")
    return spec


def _container_program(name: str, arguments: Sequence[str]) -> MainProgram:
    finder = importlib.machinery.PathFinder.find_spec("__main__", [name])
    if finder is None or finder.loader is None or not hasattr(finder.loader, "get_code"):
        raise LaunchError(f"{name!r} cannot be run: it has no __main__.py")
    code = finder.loader.get_code("__main__")
    return MainProgram(
        code=code,
        arguments=[name, *arguments],
        search_path=str(Path(name).resolve()),
        namespace={
            "__file__": finder.origin,
            "__loader__": finder.loader,
            "__spec__": finder,
            "__package__": "",
            "__builtins__": __builtins__,
        },
    )
