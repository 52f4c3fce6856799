"""SMPI of SimGrid 3.32 with the defaults of all options."""

from pysmpi.simulation.settings.mpi_libraries.behaviour import Behaviour, Reductions
from pysmpi.simulation.settings.mpi_libraries.error_classes import SMPI_CLASSES
from pysmpi.simulation.settings.mpi_libraries.grid_extents import smpi_extents
from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary

__all__ = ["SMPI_LIBRARY"]

_BEHAVIOUR = Behaviour(
    largest_tag=0x7FFFFFFF,
    grid_extents=smpi_extents,
    divides_by_each_extent=True,
    reductions=Reductions.SMPI,
    copies_to_itself=True,
    agrees_on_contexts=False,
    reads_past_end_advance=frozenset(),
    checks_tags_first=False,
    clock_is_global=True,
    io_rank=0,
    only_world_has_attributes=False,
    scatters_nearest_first=True,
    error_classes=SMPI_CLASSES,
)

SMPI_LIBRARY = MpiLibrary(
    name="smpi",
    meaning="SMPI of SimGrid 3.32: its algorithms, thresholds and costs of calls",
    source="SimGrid 3.32, src/simgrid/sg_config.cpp and src/smpi/internals/smpi_config.cpp",
    settings={},
    behaviour=_BEHAVIOUR,
)
