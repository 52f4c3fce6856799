"""MPI libraries whose choice of collective algorithms SMPI reproduces: MVAPICH2 1.9 (tables of Stampede) and Intel MPI
4.1.

MVAPICH2 1.9 descends from MPICH 3.0, and Intel MPI 4.1 from MPICH2. That they choose grids as these do is assumed; all
else is taken from MPICH.
"""

from dataclasses import replace

from pysmpi.simulation.settings.mpi_libraries.behaviour import Reductions
from pysmpi.simulation.settings.mpi_libraries.calls import CALLS
from pysmpi.simulation.settings.mpi_libraries.grid_extents import mpich_2_extents
from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary
from pysmpi.simulation.settings.mpi_libraries.mpich import MPICH

__all__ = ["IMPI", "MVAPICH2"]

_BEHAVIOUR = replace(MPICH, grid_extents=mpich_2_extents, asks_self_first=False)
_EAGER = {"smpi/async-small-thresh": "8192", "smpi/send-is-detached-thresh": "8192"}

MVAPICH2 = MpiLibrary(
    name="mvapich2",
    meaning="MVAPICH2 1.9",
    source="SimGrid 3.32, src/smpi/colls/smpi_mvapich2_selector.cpp",
    settings={**CALLS, **_EAGER, "smpi/coll-selector": "mvapich2"},
    behaviour=_BEHAVIOUR,
)
IMPI = MpiLibrary(
    name="impi",
    meaning="Intel MPI 4.1",
    source="SimGrid 3.32, src/smpi/colls/smpi_intel_mpi_selector.cpp",
    settings={**CALLS, **_EAGER, "smpi/coll-selector": "impi"},
    behaviour=replace(_BEHAVIOUR, reductions=Reductions.INTEL_MPI),
)
