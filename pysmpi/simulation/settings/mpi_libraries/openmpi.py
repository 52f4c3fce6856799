"""Open MPI.

Algorithms: collectives of the tuned component, and from 5.0 on those of HAN on communicators that span nodes (sources
of the releases 4.1.6 and 5.0.9; docs/collectives.md). Nonblocking and persistent collectives: the component libnbc of
5.0.10. On one node, messages and operands are those of 5.0.11 (tests/parity/openmpi).
Thresholds: Dahu's calibration found messages of less than 8,133 bytes to be eager with Open MPI 2.0.2; UCX switches at
8 KiB as well (UCX_RNDV_THRESH=auto on ConnectX-4; the latencies of ukri-excalibur/excalibur-tests have no step below).
"""

from dataclasses import replace

from pysmpi.simulation.settings.mpi_libraries.behaviour import ANY_SOURCE, Behaviour, Reductions
from pysmpi.simulation.settings.mpi_libraries.calls import CALLS
from pysmpi.simulation.settings.mpi_libraries.error_classes import OPEN_MPI_CLASSES
from pysmpi.simulation.settings.mpi_libraries.grid_extents import open_mpi_extents
from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary

__all__ = ["FUJITSU_MPI", "OPEN_MPI", "OPEN_MPI_4_0", "OPEN_MPI_4_1", "OPEN_MPI_5_0"]

OPEN_MPI = Behaviour(
    largest_tag=0x7FFFFFFF,
    grid_extents=open_mpi_extents,
    divides_by_each_extent=True,
    reductions=Reductions.OPEN_MPI,
    copies_to_itself=False,
    agrees_on_contexts=True,
    reads_past_end_advance=frozenset(("contiguous", "strided", "nonblocking")),
    checks_tags_first=True,
    clock_is_global=False,
    io_rank=ANY_SOURCE,
    only_world_has_attributes=True,
    error_classes=OPEN_MPI_CLASSES,
)

_SOURCE = "sources of Open MPI 4.1.6 and 5.0.9, messages of 5.0.11; calibration of Grid'5000 Dahu (Cornebize 2021)"
_PROGRESS = {"smpi/progress": "rounds"}  # libnbc has no thread of its own (ompi_coll_libnbc_progress)
_EAGER = {"smpi/async-small-thresh": "8192", "smpi/send-is-detached-thresh": "8192"}

OPEN_MPI_5_0 = MpiLibrary(
    name="openmpi-5.0",
    meaning="Open MPI 5.0 (5.0.11): two-level collectives (HAN) between nodes, tuned ones elsewhere",
    source=_SOURCE,
    settings={**CALLS, **_EAGER, **_PROGRESS, "smpi/coll-selector": "openmpi-5.0"},
    behaviour=OPEN_MPI,
)
OPEN_MPI_4_1 = MpiLibrary(
    name="openmpi-4.1",
    meaning="Open MPI 4.1: tuned collectives",
    source=_SOURCE,
    settings={**CALLS, **_EAGER, **_PROGRESS, "smpi/coll-selector": "openmpi-4.1"},
    behaviour=OPEN_MPI,
)
OPEN_MPI_4_0 = MpiLibrary(
    name="openmpi-4.0",
    meaning="Open MPI 1.3 to 4.0: tuned collectives by the older rules",
    source="coll_tuned_decision_fixed.c of Open MPI 4.0",
    settings={**CALLS, **_EAGER, **_PROGRESS, "smpi/coll-selector": "openmpi-4.0"},
    behaviour=replace(OPEN_MPI, reductions=Reductions.OPEN_MPI_4_0, scatters_nearest_first=True),
)
FUJITSU_MPI = MpiLibrary(
    name="fujitsu-mpi",
    meaning="Fujitsu MPI 4.0 (Technical Computing Suite), on Tofu D",
    source=f"{_SOURCE}; derived from Open MPI (Fujitsu)",
    settings={**CALLS, **_EAGER, **_PROGRESS, "smpi/new-buffers": "0", "smpi/coll-selector": "openmpi-4.1"},
    behaviour=OPEN_MPI,
    unknown="Fujitsu does not publish its collectives for Tofu D; those of Open MPI 4.1 are taken",
)
