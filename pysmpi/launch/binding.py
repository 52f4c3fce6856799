"""Binds mpi4py to the simulator: our MPI library is loaded before ``mpi4py.MPI``, and for everybody to see.

mpi4py's extension names no path for its MPI library, only the symbols it needs, so whatever was first loaded globally
provides them. A real MPI that is in the process already (LD_PRELOAD, a library linked against it) wins silently; the
library's own version string, asked after the import, tells.
"""

import _thread
import ctypes
import importlib.metadata
import os
import pathlib
import re
import sys
from types import ModuleType

from pysmpi import mpi as objects
from pysmpi.errors import BindingError
from pysmpi.isolation.locks import new_lock, new_rlock

__all__ = ["LIBRARY", "bind", "is_bound", "loaded_mpi_libraries", "use"]

LIBRARY = pathlib.Path(__file__).resolve().parent.parent / "native" / "libmpi.so.12"

_MPI_LIBRARY = re.compile(r"(^|/)(lib(mpi|mpich|mpi_cxx|open-rte|mpifort|msmpi|pmpi)[\w-]*\.so[.\d]*)$")

_bound: ModuleType | None = None
_handle: ctypes.CDLL | None = None


def bind() -> ModuleType:
    """The module ``mpi4py.MPI``, bound to the simulator.

    Raises:
        BindingError: mpi4py is missing or of another version, or another MPI library is in this process already; the
            message names that library.
    """
    global _bound, _handle
    if _bound is not None:
        return _bound
    already = sys.modules.get("mpi4py.MPI")
    if already is not None:
        _check(already, "mpi4py.MPI had been imported before the simulator could be loaded")
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
    """From here on ``from mpi4py import MPI`` in this process means the simulator, a world of one outside its ranks.

    Raises:
        BindingError: mpi4py is missing or of another version, or another MPI library is in this process already.
    """
    bind()


def is_bound() -> bool:
    """mpi4py is bound to the simulator in this process."""
    return _bound is not None


def loaded_mpi_libraries() -> list[str]:
    """The paths of the MPI libraries in this process, ours left out, in the order of their addresses."""
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
    """Imports it with the settings that bind it to MPICH's ABI, and puts these back afterwards."""
    settings = {"MPI4PY_MPIABI": "mpich", "MPI4PY_LIBMPI": None}
    before = {name: os.environ.get(name) for name in settings}
    locks = _thread.allocate_lock, _thread.RLock
    try:
        for name, value in settings.items():
            _set_environment(name, value)
        import mpi4py

        mpi4py.rc.finalize = False  # ranks finalise on their own; at the interpreter's exit nothing is left to do
        # mpi4py takes these names once, and makes a lock of every communicator on which pickled objects travel: a rank
        # must be able to wait for it.
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
    named = ", ".join(culprits) if culprits else "a library that cannot be found in /proc/self/maps"
    preloaded = os.environ.get("LD_PRELOAD", "")
    hint = f"; LD_PRELOAD is {preloaded!r}" if "mpi" in preloaded else ""
    first_line = version.splitlines()[0]
    raise BindingError(
        f"mpi4py is bound to a real MPI, not to the simulator: {reason}. It is {named} ({first_line}){hint}. "
        "Start a new process in which pysmpi comes first."
    )
