"""The MPI library whose behaviour MPI calls follow."""

from pysmpi.native import lib
from pysmpi.simulation.settings.mpi_libraries import DEFAULT, MpiLibrary

__all__ = ["follow", "followed", "forget"]

_followed = [DEFAULT]


def follow(library: MpiLibrary) -> None:
    """Let MPI calls behave as those of `library` from now on.

    Raises:
        ValueError: the engine lacks a setting or an error class that the library's description names, which is a defect
            of pysmpi.
    """
    forget()
    _followed[0] = library
    for name, number in library.behaviour.engine_values():
        if lib.pysmpi_set_number(name.encode(), number) != 0:
            raise ValueError(f"the engine has no number {name!r}: this is a defect of pysmpi, please report it")
    for function, classes in library.behaviour.error_classes.items():
        for error_class, other in classes.items():
            if lib.pysmpi_set_error_class(function.encode(), error_class.encode(), other.encode()) != 0:
                raise ValueError(
                    f"the engine has no error class {error_class!r} or {other!r}: this is a defect of pysmpi"
                )


def forget() -> None:
    """Let MPI calls outside simulations follow the default library, but with MPICH's error classes."""
    _followed[0] = DEFAULT
    lib.pysmpi_reset_error_classes()


def followed() -> MpiLibrary:
    """Return the library that MPI calls follow."""
    return _followed[0]
