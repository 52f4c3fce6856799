"""SMPI of SimGrid 3.32 with the defaults of all options."""

from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary

__all__ = ["SMPI_LIBRARY"]

SMPI_LIBRARY = MpiLibrary(
    name="smpi",
    meaning="SMPI of SimGrid 3.32: its algorithms, thresholds and costs of calls",
    source="SimGrid 3.32, src/simgrid/sg_config.cpp and src/smpi/internals/smpi_config.cpp",
    settings={},
)
