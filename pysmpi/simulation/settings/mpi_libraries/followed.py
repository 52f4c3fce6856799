"""The MPI library whose behaviour the simulation under way follows."""

from pysmpi.simulation.settings.mpi_libraries import DEFAULT, MpiLibrary

__all__ = ["follow", "followed"]

_followed = [DEFAULT]


def follow(library: MpiLibrary) -> None:
    """Let MPI calls behave as those of `library` from now on."""
    _followed[0] = library


def followed() -> MpiLibrary:
    """Return the library that MPI calls follow; outside a simulation, that of the last simulation or the default."""
    return _followed[0]
