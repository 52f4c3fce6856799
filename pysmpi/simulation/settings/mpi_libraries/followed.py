"""The MPI library whose behaviour the MPI calls of ranks follow."""

from pysmpi.native import lib
from pysmpi.simulation.settings.mpi_libraries import DEFAULT, MpiLibrary

__all__ = ["follow", "followed"]

_followed = [DEFAULT]


def follow(library: MpiLibrary) -> None:
    """Let the MPI calls of ranks behave as those of `library` from now on.

    Raises:
        ValueError: the engine lacks a setting or an error class that the library's description names, which is a defect
            of pysmpi.
    """
    _followed[0] = library
    lib.pysmpi_reset_error_classes()
    for name, number in library.behaviour.engine_values():
        if lib.pysmpi_set_number(name.encode(), number) != 0:
            raise ValueError(f"the engine has no number {name!r}: this is a defect of pysmpi, please report it")
    for function, classes in library.behaviour.error_classes.items():
        for error_class, other in classes.items():
            if lib.pysmpi_set_error_class(function.encode(), error_class.encode(), other.encode()) != 0:
                raise ValueError(
                    f"the engine has no error class {error_class!r} or {other!r}: this is a defect of pysmpi"
                )


def followed() -> MpiLibrary:
    """Return the library that MPI calls follow: outside ranks, the default one, but with MPICH's error classes."""
    return _followed[0] if lib.pysmpi_running_rank() >= 0 else DEFAULT
