"""Binding of mpi4py to the simulator: our MPI libraries are loaded before ``mpi4py.MPI``.

mpi4py's extension asks for an MPI library by its name, such as libmpi.so.12. The dynamic linker gives it a library of
this name that is loaded already: ours, one for each ABI. They have functions of the same names. Only the one that
mpi4py needs is loaded globally: code that is linked with no MPI library uses it. A real MPI that was loaded globally
before (through LD_PRELOAD, for example) silently takes precedence. To detect this, the library's version string is read
after the import.
"""

import _thread
import ctypes
import importlib.util
import os
import pathlib
import re
import sys
from dataclasses import dataclass
from types import ModuleType

from pysmpi.errors import BindingError
from pysmpi.native import _native
from pysmpi.simulation import mpi as objects
from pysmpi.simulation.isolation.elf_files import needed_libraries
from pysmpi.simulation.isolation.locks import new_lock, new_rlock

__all__ = ["bind", "is_bound", "loaded_mpi_libraries", "use"]

# The libraries lie beside the extension module, which an editable installation keeps apart from the Python files.
_FOLDER = pathlib.Path(_native.__file__).resolve().parent
# Names by which programs ask for an MPI library (sonames), by mpi4py's names of ABIs, and the files of our libraries.
_LIBRARIES = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40", "mpiabi": "libmpi_abi.so.1"}
_FILES = {
    "libmpi.so.12": _FOLDER / "libmpi.so.12",
    "libmpi.so.40": _FOLDER / "libpysmpi_openmpi.so",
    "libmpi_abi.so.1": _FOLDER / "libpysmpi_standard.so",
    "libmpich.so.12": _FOLDER / "libpysmpi_mpich.so",  # Debian's name of libmpi.so.12, the only library that it needs
}

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
    extension = _extension()
    for name, file in _FILES.items():
        scope = os.RTLD_GLOBAL if name == extension.library else os.RTLD_LOCAL
        try:
            _handles.append(ctypes.CDLL(str(file), mode=scope | os.RTLD_NOW))
        except OSError as error:
            raise BindingError(f"cannot load the simulator's MPI library: {error}") from error
    module = _import_mpi4py(extension)
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
        from mpi4py import __version__ as version
    except ImportError as error:
        raise BindingError("mpi4py is not installed; pip install 'mpi4py>=4.1,<4.2'") from error
    if not version.startswith("4.1."):
        raise BindingError(f"mpi4py {version} is installed, but pysmpi needs mpi4py>=4.1,<4.2")


@dataclass(frozen=True)
class _Extension:
    """mpi4py's extension module: value of MPI4PY_MPIABI, or None if there is only one, and the name of its library."""

    abi: str | None
    library: str


def _extension() -> _Extension:
    """Return which of mpi4py's extension modules is to be imported.

    mpi4py's wheels have one for each of several ABIs. `MPI4PY_MPIABI` selects one of them, as with a real MPI; by
    default it is MPICH's, or else the first that exists. Other builds have one, and the library that it needs counts.

    Raises:
        BindingError: mpi4py has no extension for the selected ABI.
    """
    spec = importlib.util.find_spec("mpi4py")
    places = [pathlib.Path(place) for place in (spec.submodule_search_locations if spec else None) or ()]
    built = [abi for abi in _LIBRARIES if any(any(place.glob(f"MPI.{abi}.*")) for place in places)]
    if not built:
        needed = {name for place in places for file in place.glob("MPI.*.so") for name in needed_libraries(file)}
        return _Extension(None, next((name for name in _LIBRARIES.values() if name in needed), _LIBRARIES["mpich"]))
    selected = os.environ.get("MPI4PY_MPIABI", built[0]).translate({ord(mark): None for mark in " -_"}).lower()
    selected = "mpich" if selected == "impi" else selected
    if selected not in built:
        raise BindingError(
            f"mpi4py is not built for MPI4PY_MPIABI={os.environ['MPI4PY_MPIABI']!r}; valid: {', '.join(built)}"
        )
    return _Extension(selected, _LIBRARIES[selected])


def _import_mpi4py(extension: _Extension) -> ModuleType:
    """Import mpi4py with the settings that bind it to our library; restore the settings afterwards."""
    settings = {"MPI4PY_MPIABI": extension.abi, "MPI4PY_LIBMPI": str(_FILES[extension.library])}
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
