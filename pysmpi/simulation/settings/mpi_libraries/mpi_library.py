"""The interface of an MPI library whose behaviour a simulation follows."""

from collections.abc import Mapping
from dataclasses import dataclass

from pysmpi.simulation.settings.mpi_libraries.behaviour import Behaviour

__all__ = ["MpiLibrary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiLibrary:
    """An MPI library, which a value of the setting ``mpi`` selects.

    Attributes:
        name: value of the setting.
        meaning: description in one line.
        source: publications, sources or measurements behind the values.
        settings: values of settings, as text, by name; all other settings keep their defaults.
        behaviour: behaviour that the MPI standard leaves to the library.
        unknown: behaviour that the library does not publish and the simulation replaces, for the run's note on how far
            to trust it; empty if there is none.
    """

    name: str
    meaning: str
    source: str
    settings: Mapping[str, str]
    behaviour: Behaviour
    unknown: str = ""
