"""MPICH from 4.1 on.

Algorithms: the tuning files generic.json, which 4.1 to 5.0.1 share; 5 carries out some of the algorithms in another way
(docs/collectives.md). Schedules of nonblocking collectives: those that 5.0.2 prints (MPIR_CVAR_COLL_SCHED_DUMP).
Thresholds: with libfabric, messages are eager up to the provider's limit (MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD, -1); with
UCX, up to 8 KiB, as with Open MPI. UCX is assumed.
"""

from dataclasses import replace

from pysmpi.simulation.settings.mpi_libraries.behaviour import ANY_SOURCE, Behaviour, Reductions
from pysmpi.simulation.settings.mpi_libraries.calls import CALLS
from pysmpi.simulation.settings.mpi_libraries.grid_extents import mpich_extents
from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary

__all__ = ["CRAY_MPICH", "MPICH", "MPICH_4", "MPICH_5"]

MPICH = Behaviour(
    largest_tag=0x3FFFFFFF,
    grid_extents=mpich_extents,
    divides_by_each_extent=False,
    reductions=Reductions.MPICH_4,
    copies_to_itself=False,
    agrees_on_contexts=False,
    reads_past_end_advance=frozenset(("strided", "nonblocking")),
    checks_tags_first=False,
    clock_is_global=False,
    io_rank=ANY_SOURCE,
    only_world_has_attributes=False,
    asks_self_first=True,
)

_SOURCE = "maint/tuning/coll of MPICH 4.1 to 5.0.1; schedules that 5.0.2 prints"
_PROGRESS = {"smpi/progress": "rounds"}  # schedules continue in MPI calls (MPIDU_Sched_progress)
_EAGER = {"smpi/async-small-thresh": "8192", "smpi/send-is-detached-thresh": "8192"}

MPICH_5 = MpiLibrary(
    name="mpich-5",
    meaning="MPICH 5.0",
    source=_SOURCE,
    settings={**CALLS, **_EAGER, **_PROGRESS, "smpi/coll-selector": "mpich-5"},
    behaviour=replace(MPICH, largest_tag=0x1FFFFFFF, reductions=Reductions.MPICH_5),
)
MPICH_4 = MpiLibrary(
    name="mpich-4",
    meaning="MPICH 4.1 to 4.3",
    source=_SOURCE,
    settings={**CALLS, **_EAGER, **_PROGRESS, "smpi/coll-selector": "mpich-4"},
    behaviour=MPICH,
)
CRAY_MPICH = MpiLibrary(
    name="cray-mpich",
    meaning="HPE Cray MPICH 8.1",
    source=f"{_SOURCE}; derived from MPICH 3.4 and 4 (HPE); eager up to 16 KiB with CXI (FI_CXI_RDZV_THRESHOLD)",
    settings={
        **CALLS,
        **_PROGRESS,
        "smpi/new-buffers": "0",  # Cray's malloc keeps freed memory
        "smpi/async-small-thresh": "16384",
        "smpi/send-is-detached-thresh": "16384",
        "smpi/coll-selector": "mpich-4",
    },
    behaviour=replace(MPICH, asks_self_first=False),
    unknown="HPE does not publish which algorithms it chooses; those of MPICH 4 are taken",
)
