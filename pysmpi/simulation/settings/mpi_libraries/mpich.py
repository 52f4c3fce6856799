"""MPICH from 4.1 on.

Algorithms: the tuning file generic.json, which 4.1 to 5.0.1 share (docs/collectives.md).
Thresholds: with libfabric, messages are eager up to the provider's limit (MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD, -1); with
UCX, up to 8 KiB, as with Open MPI. UCX is assumed.
"""

from pysmpi.simulation.settings.mpi_libraries.behaviour import Behaviour
from pysmpi.simulation.settings.mpi_libraries.calls import CALLS
from pysmpi.simulation.settings.mpi_libraries.grid_extents import mpich_extents
from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary

__all__ = ["MPICH", "MPICH_4"]

MPICH = Behaviour(largest_tag=0x3FFFFFFF, grid_extents=mpich_extents, divides_by_each_extent=False)

MPICH_4 = MpiLibrary(
    name="mpich-4",
    meaning="MPICH 4.1 and later",
    source="maint/tuning/coll of MPICH 4.1 to 5.0.1",
    settings={
        **CALLS,
        "smpi/async-small-thresh": "8192",
        "smpi/send-is-detached-thresh": "8192",
        "smpi/coll-selector": "mpich-4",
    },
    behaviour=MPICH,
)
