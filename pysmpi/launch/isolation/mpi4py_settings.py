"""``mpi4py.rc`` and the workers of ``mpi4py.futures`` for each rank.

mpi4py reads it once, when its extension module is imported, which is before ranks begin. Of what a rank sets,
``initialize = False`` has an effect: MPI then is not initialised until the rank calls MPI.Init.
"""

import runpy
import sys
from types import ModuleType
from typing import Any

from pysmpi.launch.isolation.current import Private, isolate_absence, running_rank
from pysmpi.launch.isolation.interpreter import isolate_assignments
from pysmpi.launch.isolation.patching import Patches
from pysmpi.native import lib

__all__ = ["install", "isolate_workers"]

_settings: Private[dict[str, Any]] = Private()


def install(patches: Patches) -> None:
    """Makes the settings those of the running rank."""
    import mpi4py

    class RankRc(mpi4py.Rc):
        """mpi4py.rc while a simulation runs."""

        def __getattribute__(self, name: str) -> Any:
            own = _settings.get(running_rank())
            return own[name] if own is not None and name in own else super().__getattribute__(name)

        def __setattr__(self, name: str, value: Any) -> None:
            if running_rank() < 0 or not hasattr(self, name):
                super().__setattr__(name, value)
                return
            _settings.of_running(dict)[name] = value
            if name == "initialize" and value in {False, "no"}:
                lib.pysmpi_await_initialization()

    patches.set_class(mpi4py.rc, RankRc)
    isolate_assignments(vars(mpi4py))


def isolate_workers(rank: int, core: ModuleType) -> None:
    """A worker runs the master's program as a module of a name of its own: in this rank only.

    Args:
        rank: the rank.
        core: its module ``mpi4py.futures._core``.
    """
    isolate_absence(rank, sys.modules, core.MAIN_RUN_NAME)
    isolate_assignments(vars(runpy))
