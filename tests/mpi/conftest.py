"""mpi4py over the simulator, in the test process: outside ranks, a world of one."""

import ctypes
import os
import pathlib
import types

import pytest

from pysmpi import mpi as objects
from pysmpi import native


@pytest.fixture(scope="session")
def MPI() -> types.ModuleType:
    """The module mpi4py.MPI, bound to the simulator."""
    library = pathlib.Path(native.__file__).parent / "libmpi.so.12"
    ctypes.CDLL(str(library), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    os.environ["MPI4PY_MPIABI"] = "mpich"
    import mpi4py

    mpi4py.rc.finalize = False
    from mpi4py import MPI

    assert MPI.Get_library_version().startswith("pysmpi")
    objects.prepare(MPI)
    return MPI
