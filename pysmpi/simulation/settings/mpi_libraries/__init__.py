"""The MPI libraries that a simulation can follow. To add a library, add it to a module here and to `MPI_LIBRARIES`.

A library chooses the algorithms of collectives and the sizes from which messages wait for their receive. It also sets
the time that calls take, unless the fabric sets it. Its `behaviour` decides what MPI leaves to the library.
"""

from pysmpi.simulation.settings.mpi_libraries.intel import IMPI_2021
from pysmpi.simulation.settings.mpi_libraries.mpi_library import MpiLibrary
from pysmpi.simulation.settings.mpi_libraries.mpich import CRAY_MPICH, MPICH_4, MPICH_5
from pysmpi.simulation.settings.mpi_libraries.older import IMPI, MVAPICH2
from pysmpi.simulation.settings.mpi_libraries.openmpi import FUJITSU_MPI, OPEN_MPI_4_0, OPEN_MPI_4_1, OPEN_MPI_5_0
from pysmpi.simulation.settings.mpi_libraries.smpi import SMPI_LIBRARY

__all__ = ["DEFAULT", "MPI_LIBRARIES", "MpiLibrary"]

DEFAULT = OPEN_MPI_5_0
MPI_LIBRARIES: dict[str, MpiLibrary] = {
    library.name: library
    for library in (
        OPEN_MPI_5_0,
        OPEN_MPI_4_1,
        OPEN_MPI_4_0,
        MPICH_5,
        MPICH_4,
        CRAY_MPICH,
        FUJITSU_MPI,
        IMPI_2021,
        IMPI,
        MVAPICH2,
        SMPI_LIBRARY,
    )
}
"""All values of ``mpi``, by name."""
