"""MPI libraries whose choice of collective algorithms SMPI reproduces: MVAPICH2 1.9 (tables of Stampede) and Intel MPI
4.1."""

from pysmpi.simulation.settings.mpi_libraries.calls import CALLS
from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary
from pysmpi.simulation.settings.mpi_libraries.mpich import MPICH

__all__ = ["IMPI", "MVAPICH2"]

_EAGER = {"smpi/async-small-thresh": "8192", "smpi/send-is-detached-thresh": "8192"}

MVAPICH2 = MpiLibrary(
    name="mvapich2",
    meaning="MVAPICH2 1.9",
    source="SimGrid 3.32, src/smpi/colls/smpi_mvapich2_selector.cpp",
    settings={**CALLS, **_EAGER, "smpi/coll-selector": "mvapich2"},
    behaviour=MPICH,
)
IMPI = MpiLibrary(
    name="impi",
    meaning="Intel MPI 4.1",
    source="SimGrid 3.32, src/smpi/colls/smpi_intel_mpi_selector.cpp",
    settings={**CALLS, **_EAGER, "smpi/coll-selector": "impi"},
    behaviour=MPICH,
)
