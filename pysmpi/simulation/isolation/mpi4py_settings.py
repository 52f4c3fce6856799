"""``mpi4py.rc`` and the workers of ``mpi4py.futures`` in ranks.

mpi4py reads its settings (``mpi4py.rc``, ``MPI4PY_RC_*``, ``MPI4PY_PICKLE_*``) once per process, when its extension
module is imported. In a simulation, this happens before the ranks begin. A rank that has changed settings therefore
gets its own options when it first imports ``mpi4py.MPI``. To detect this import, the attribute ``MPI`` is removed from
the package while ranks run. Later changes have no effect, as in a real process.
"""

import importlib
import os
import runpy
import sys
from types import ModuleType
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.current import Private, isolate_absence, rank_of_thread, running_rank
from pysmpi.simulation.isolation.interpreter import isolate_assignments
from pysmpi.simulation.isolation.mpi4py_options import find_block, read_options
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.process import has_own_environment

__all__ = ["abort_status", "install", "isolate_workers"]

_settings: Private[dict[str, Any]] = Private()
_abort_statuses: Private[int] = Private()


def install(patches: Patches) -> None:
    """Give each rank its own settings of mpi4py."""
    import mpi4py

    class RankRc(mpi4py.Rc):
        """Class of ``mpi4py.rc`` during a simulation, in which each rank has its own values."""

        def __getattribute__(self, name: str) -> Any:
            own = _settings.get(running_rank(depends=False))
            return own[name] if own is not None and name in own else super().__getattribute__(name)

        def __setattr__(self, name: str, value: Any) -> None:
            lib.pysmpi_note_own_setting(b"mpi4py.rc")
            if running_rank() < 0 or not hasattr(self, name):
                super().__setattr__(name, value)
            else:
                _settings.of_running(dict)[name] = value

    mpi = sys.modules["mpi4py.MPI"]
    _install_imports(patches, mpi4py, mpi)
    patches.set_class(mpi4py.rc, RankRc)
    isolate_assignments(vars(mpi4py))

    def set_abort_status(status: int) -> None:
        _abort_statuses[running_rank()] = status

    patches.set(mpi, "_set_abort_status", set_abort_status)


def abort_status(rank: int) -> int:
    """Return the status with which a failed rank under ``python -m mpi4py`` will abort all ranks, or 0 for no abort."""
    return _abort_statuses.get(rank, 0)


def _install_imports(patches: Patches, package: ModuleType, mpi: ModuleType) -> None:
    """Apply a rank's settings at its first import of ``mpi4py.MPI``."""
    block = find_block(str(mpi.__file__), read_options(package.rc, os.environ.get).block())
    if block is not None:
        lib.pysmpi_locate_options(ffi.cast("void *", block), len(read_options(None, _nothing).block()))
    seen = bytearray()  # for each rank: whether it has imported the module

    def imported() -> ModuleType:
        rank = rank_of_thread()
        if rank >= len(seen):
            seen.extend(bytes(max(rank + 1, lib.pysmpi_rank_count()) - len(seen)))
        if rank >= 0 and not seen[rank]:
            seen[rank] = True
            if rank in _settings or has_own_environment(rank):
                _apply(rank, vars(package).get("rc"), mpi, has_block=block is not None)
        return mpi

    def get_missing(name: str) -> ModuleType:
        if name != "MPI":
            raise AttributeError(f"module {package.__name__!r} has no attribute {name!r}")
        return imported()

    import_module = importlib.import_module

    def import_any_module(name: str, package: str | None = None) -> ModuleType:
        return imported() if name == mpi.__name__ else import_module(name, package)

    patches.remove(package, "MPI")
    patches.set(package, "__getattr__", get_missing)
    patches.set(importlib, "import_module", import_any_module)


def _nothing(_: str) -> None:
    """Return None for each variable, as in an empty environment."""


def _apply(rank: int, settings: Any, mpi: Any, *, has_block: bool) -> None:
    """Apply mpi4py's settings of the running rank: options, thread level, error handlers and pickle protocol."""
    options = read_options(settings, os.environ.get)
    if has_block:
        lib.pysmpi_isolate_options(rank, options.block())
    if not options.initialize:
        lib.pysmpi_await_initialization()
    lib.pysmpi_provide_threads(options.thread_level if options.threads else mpi.THREAD_SINGLE)
    handlers = (mpi.ERRORS_ARE_FATAL, mpi.ERRORS_RETURN, mpi.ERRORS_ABORT, mpi.ERRORS_ARE_FATAL)
    for communicator in (mpi.COMM_SELF, mpi.COMM_WORLD):
        communicator.Set_errhandler(handlers[options.errors])
    for name in ("PROTOCOL", "THRESHOLD"):
        number = os.environ.get(f"MPI4PY_PICKLE_{name}")
        if number is not None:
            setattr(mpi.pickle, name, int(number))


def isolate_workers(rank: int, core: ModuleType) -> None:
    """Prepare the rank for running the master's program, as a worker of mpi4py.futures does.

    The module in which the program runs, and assignments to runpy's global variables, become private to the rank.

    Args:
        rank: the rank.
        core: the rank's module ``mpi4py.futures._core``.
    """
    isolate_absence(rank, sys.modules, core.MAIN_RUN_NAME)
    isolate_assignments(vars(runpy))
