"""Intel MPI 2021.

Algorithms: Intel MPI derives from MPICH. Reductions on one node follow the tuning file of the release
(native/collectives/selectors/tables/impi2021.json), all other calls MPICH's rules (docs/collectives.md).
Thresholds: with libfabric, messages are eager up to the provider's limit; with UCX, up to 8 KiB, as with Open MPI. UCX
is assumed.
"""

from dataclasses import replace

from pysmpi.simulation.settings.mpi_libraries.behaviour import Reductions
from pysmpi.simulation.settings.mpi_libraries.calls import CALLS
from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary
from pysmpi.simulation.settings.mpi_libraries.mpich import MPICH

__all__ = ["IMPI_2021"]

IMPI_2021 = MpiLibrary(
    name="impi-2021",
    meaning="Intel MPI 2021.18: its reductions on one node, otherwise MPICH's algorithms",
    source="tuning file and behaviour of Intel MPI 2021.18.1 on one node; maint/tuning/coll of MPICH",
    settings={
        **CALLS,
        "smpi/async-small-thresh": "8192",
        "smpi/send-is-detached-thresh": "8192",
        "smpi/progress": "rounds",
        "smpi/coll-selector": "impi-2021",
    },
    behaviour=replace(
        MPICH,
        reads_past_end_advance=frozenset(("strided",)),
        clock_is_global=True,
        asks_self_first=False,
        reductions=Reductions.INTEL_MPI,
    ),
    unknown="Intel MPI's algorithms are not public: those of MPICH stand for them, except for reductions on one node",
)
