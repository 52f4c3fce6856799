"""Binding of mpi4py to the simulator: our MPI library is loaded globally before ``mpi4py.MPI``.

mpi4py's extension names no path of an MPI library, only the symbols that it needs. The first library that was loaded
globally provides them. A real MPI that is already in the process (through LD_PRELOAD, or a library linked against it)
silently takes precedence. To detect this, the library's version string is read after the import.
"""

import _thread
import ctypes
import importlib.metadata
import os
import pathlib
import re
import sys
from types import ModuleType

from pysmpi.errors import BindingError
from pysmpi.native import _native
from pysmpi.simulation import mpi as objects
from pysmpi.simulation.isolation.locks import new_lock, new_rlock

__all__ = ["LIBRARY", "bind", "is_bound", "loaded_mpi_libraries", "use"]

# The library lies beside the extension module, which an editable installation keeps apart from the Python files.
LIBRARY = pathlib.Path(_native.__file__).resolve().with_name("libmpi.so.12")

_MPI_LIBRARY = re.compile(r"(^|/)(lib(mpi|mpich|mpi_cxx|open-rte|mpifort|msmpi|pmpi)[\w-]*\.so[.\d]*)$")

_bound: ModuleType | None = None
_handle: ctypes.CDLL | None = None


def bind() -> ModuleType:
    """Import ``mpi4py.MPI`` bound to the simulator, and return the module.

    Raises:
        BindingError: mpi4py is missing or has an unsupported version, or another MPI library is already loaded in this
            process; the message names that library.
    """
    global _bound, _handle
    if _bound is not None:
        return _bound
    already = sys.modules.get("mpi4py.MPI")
    if already is not None:
        _check(already, "mpi4py.MPI was imported before the simulator was loaded")
    _check_version()
    try:
        _handle = ctypes.CDLL(str(LIBRARY), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    except OSError as error:
        raise BindingError(f"cannot load the simulator's MPI library: {error}") from error
    module = _import_mpi4py()
    _check(module, "another MPI library provides the symbols that mpi4py uses")
    objects.prepare(module)
    _bound = module
    return module


def use() -> None:
    """Bind ``from mpi4py import MPI`` to the simulator in this process; outside ranks, MPI_COMM_WORLD has one rank.

    Raises:
        BindingError: mpi4py is missing or has an unsupported version, or another MPI library is already loaded in this
            process.
    """
    bind()


def is_bound() -> bool:
    """Return whether mpi4py is bound to the simulator in this process."""
    return _bound is not None


def loaded_mpi_libraries() -> list[str]:
    """Return the paths of MPI libraries in this process, except ours, in order of address."""
    found: dict[str, None] = {}
    try:
        lines = pathlib.Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        path = line.split(maxsplit=5)[5] if line.count("/") else ""
        if _MPI_LIBRARY.search(path) and pathlib.Path(path) != LIBRARY:
            found[path] = None
    return list(found)


def _check_version() -> None:
    try:
        version = importlib.metadata.version("mpi4py")
    except importlib.metadata.PackageNotFoundError as error:
        raise BindingError("mpi4py is not installed; pip install 'mpi4py>=4.1,<4.2'") from error
    if not version.startswith("4.1."):
        raise BindingError(f"mpi4py {version} is installed, but pysmpi needs mpi4py>=4.1,<4.2")


def _import_mpi4py() -> ModuleType:
    """Import mpi4py with the settings that bind it to MPICH's ABI; restore the settings afterwards."""
    settings = {"MPI4PY_MPIABI": "mpich", "MPI4PY_LIBMPI": None}
    before = {name: os.environ.get(name) for name in settings}
    locks = _thread.allocate_lock, _thread.RLock
    try:
        for name, value in settings.items():
            _set_environment(name, value)
        import mpi4py

        mpi4py.rc.finalize = False  # ranks finalise themselves; nothing remains to do when the interpreter exits
        # mpi4py looks up these names once, and creates a lock for every communicator that carries pickled objects.
        # A rank must be able to wait for such a lock while others run.
        _thread.allocate_lock, _thread.RLock = new_lock, new_rlock  # type: ignore[misc,assignment]
        from mpi4py import MPI

        mpi4py.rc.finalize = None
    except (ImportError, RuntimeError) as error:
        culprits = loaded_mpi_libraries()
        named = f" (this process has loaded {', '.join(culprits)})" if culprits else ""
        raise BindingError(f"mpi4py cannot be bound to the simulator: {error}{named}") from error
    finally:
        _thread.allocate_lock, _thread.RLock = locks  # type: ignore[misc]
        for name, value in before.items():
            _set_environment(name, value)
    return MPI


def _set_environment(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _check(module: ModuleType, reason: str) -> None:
    version = module.Get_library_version().strip("\0 \n")
    if version.startswith("pysmpi"):
        return
    culprits = loaded_mpi_libraries()
    named = ", ".join(culprits) if culprits else "a library that is not listed in /proc/self/maps"
    preloaded = os.environ.get("LD_PRELOAD", "")
    hint = f"; LD_PRELOAD is {preloaded!r}" if "mpi" in preloaded else ""
    first_line = version.splitlines()[0]
    raise BindingError(
        f"mpi4py is bound to a real MPI, not to the simulator: {reason}. It is {named} ({first_line}){hint}. "
        "Start a new process in which pysmpi comes first."
    )
