"""MPI in child processes that ranks start as new interpreters, as multiprocessing does with spawn and forkserver.

Such a child of a rank imports the program's main module again, and mpi4py with it. It gets the simulator's MPI library,
as its rank has. MPI calls that need the rank fail there with the same message as in a forked child.
"""

import importlib.machinery
import pathlib
from types import ModuleType

from pysmpi.native import lib
from pysmpi.simulation.launch.binding import bind

__all__ = ["PROLOGUE", "spec_of_mpi4py"]

# Python source that runs first in the child. It costs little unless the child imports mpi4py.MPI.
PROLOGUE = f"""
import sys
class _Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "mpi4py.MPI":
            sys.meta_path.remove(self)
            sys.path.append({str(pathlib.Path(__file__).resolve().parents[2])!r})
            try:
                from pysmpi.simulation.launch.child_process import spec_of_mpi4py
            finally:
                del sys.path[-1]
            return spec_of_mpi4py()
sys.meta_path.insert(0, _Finder())
"""


class _Bound:
    """Loader that returns the module mpi4py.MPI, which is already bound to the simulator."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, _spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def spec_of_mpi4py() -> importlib.machinery.ModuleSpec:
    """Bind mpi4py to the simulator in this child process of a rank; return the spec of the module mpi4py.MPI."""
    module = bind()
    lib.pysmpi_enter_child_process()
    return importlib.machinery.ModuleSpec("mpi4py.MPI", _Bound(module))  # type: ignore[arg-type]
