"""Binding of mpi4py to the simulator: our MPI libraries are loaded before ``mpi4py.MPI``.

mpi4py's extension asks for an MPI library by its name, such as libmpi.so.12. The dynamic linker gives it a library of
this name that is loaded already: ours, of which there is one for each ABI. They are loaded locally, because they have
functions of the same names. A real MPI that is loaded globally (through LD_PRELOAD, for example) silently takes
precedence. To detect this, the library's version string is read after the import.
"""

import _thread
import ctypes
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import sys
from types import ModuleType

from pysmpi.errors import BindingError
from pysmpi.native import _native
from pysmpi.simulation import mpi as objects
from pysmpi.simulation.isolation.locks import new_lock, new_rlock

__all__ = ["bind", "is_bound", "loaded_mpi_libraries", "use"]

# The libraries lie beside the extension module, which an editable installation keeps apart from the Python files.
_FOLDER = pathlib.Path(_native.__file__).resolve().parent
# By mpi4py's names of ABIs.
_LIBRARIES = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40", "mpiabi": "libmpi_abi.so.1"}
_ALIASES = ("libmpich.so.12",)  # Debian's name of MPICH's library: has nothing but the need of libmpi.so.12

_MPI_LIBRARY = re.compile(r"(^|/)(lib(mpi|mpich|mpi_cxx|open-rte|mpifort|msmpi|pmpi)[\w-]*\.so[.\d]*)$")

_bound: ModuleType | None = None
_handles: list[ctypes.CDLL] = []


def bind() -> ModuleType:
    """Import ``mpi4py.MPI`` bound to the simulator, and return the module.

    Raises:
        BindingError: mpi4py is missing or has an unsupported version, or another MPI library is already loaded in this
            process; the message names that library.
    """
    global _bound
    if _bound is not None:
        return _bound
    already = sys.modules.get("mpi4py.MPI")
    if already is not None:
        _check(already, "mpi4py.MPI was imported before the simulator was loaded")
    _check_version()
    for name in (*_LIBRARIES.values(), *_ALIASES):
        try:
            _handles.append(ctypes.CDLL(str(_FOLDER / name), mode=os.RTLD_LOCAL | os.RTLD_NOW))
        except OSError as error:
            raise BindingError(f"cannot load the simulator's MPI library: {error}") from error
    module = _import_mpi4py(_abi())
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
        if _MPI_LIBRARY.search(path) and pathlib.Path(path).parent != _FOLDER:
            found[path] = None
    return list(found)


def _check_version() -> None:
    try:
        version = importlib.metadata.version("mpi4py")
    except importlib.metadata.PackageNotFoundError as error:
        raise BindingError("mpi4py is not installed; pip install 'mpi4py>=4.1,<4.2'") from error
    if not version.startswith("4.1."):
        raise BindingError(f"mpi4py {version} is installed, but pysmpi needs mpi4py>=4.1,<4.2")


def _abi() -> str | None:
    """Return the ABI that mpi4py's extension shall have, or None if mpi4py is built for one only.

    mpi4py's wheels have an extension for each of several ABIs. `MPI4PY_MPIABI` selects one of them, as with a real MPI;
    without it, MPICH's is taken.

    Raises:
        BindingError: mpi4py has no extension for the selected ABI.
    """
    spec = importlib.util.find_spec("mpi4py")
    places = (spec.submodule_search_locations if spec else None) or ()
    built = [abi for abi in _LIBRARIES if any(any(pathlib.Path(place).glob(f"MPI.{abi}.*")) for place in places)]
    if not built:
        return None
    selected = os.environ.get("MPI4PY_MPIABI", built[0]).translate({ord(mark): None for mark in " -_"}).lower()
    selected = "mpich" if selected == "impi" else selected
    if selected not in built:
        raise BindingError(
            f"mpi4py is not built for MPI4PY_MPIABI={os.environ['MPI4PY_MPIABI']}; valid: {', '.join(built)}"
        )
    return selected


def _import_mpi4py(abi: str | None) -> ModuleType:
    """Import mpi4py with the settings that bind it to an ABI's library; restore the settings afterwards."""
    settings = {"MPI4PY_MPIABI": abi, "MPI4PY_LIBMPI": str(_FOLDER / _LIBRARIES[abi or "mpich"])}
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
