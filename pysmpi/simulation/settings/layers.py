"""Layers of defaults: values of the chosen MPI library and of the chosen fabric replace the options' own defaults.

The settings ``mpi`` and ``fabric`` choose them. If both are ``smpi``, only the options' own defaults remain, which are
SMPI's. Every MPI library but SMPI also gives the settings in `OUTSIDE_SMPI` their values. The environment variable
``PYSMPI_SMPI`` makes ``smpi`` the default of both settings.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from pysmpi.platform.fabrics import FABRICS
from pysmpi.simulation.settings.mpi_libraries import MPI_LIBRARIES
from pysmpi.simulation.settings.mpi_libraries.smpi import SMPI_LIBRARY
from pysmpi.simulation.settings.options import (
    DATE_ROUNDING,
    FABRIC,
    GROWTH,
    MPI,
    NODE_MODEL,
    NONBLOCKING,
    OPTIM,
    REPLACEMENT,
    WAIT_USAGE,
)

__all__ = ["CALIBRATED", "OUTSIDE_SMPI", "SMPI_VARIABLE", "SMPI_WORDS", "Layer", "layer_of", "words_of_environment"]

SMPI_VARIABLE = "PYSMPI_SMPI"
SMPI_WORDS = {MPI: "smpi", FABRIC: "smpi"}
"""Settings that ask for the defaults of SMPI 3.32."""

OUTSIDE_SMPI = {
    OPTIM: "Full",
    GROWTH: "no",
    DATE_ROUNDING: "0.004",
    NODE_MODEL: "yes",
    WAIT_USAGE: "1",
    NONBLOCKING: "library",
    REPLACEMENT: "yes",
}
"""Values of settings under every MPI library except SMPI."""

CALIBRATED = frozenset(("smpi/os", "smpi/ois", "smpi/or", "smpi/bw-factor", "smpi/lat-factor", "network/weight-S"))
"""Settings by which a platform file counts as calibrated: its fabric is then ``smpi``, unless the run names another."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Values that the setting ``mpi`` or ``fabric`` gives to other settings.

    Attributes:
        settings: value of each setting, as text, by name.
        origin: the setting ``mpi`` or ``fabric``, its value, and the place where it was chosen, such as
            ``mpi:openmpi-4.1 (command line)``.
    """

    settings: Mapping[str, str]
    origin: str


def layer_of(word: str, value: str, origin: str) -> Layer:
    """Return the values that the setting ``mpi`` or ``fabric`` gives to other settings.

    Args:
        word: name of the setting, ``mpi`` or ``fabric``.
        value: its value.
        origin: origin of the value.
    """
    settings = dict(MPI_LIBRARIES[value].settings if word == MPI else FABRICS[value].settings)
    if word == MPI and value != SMPI_LIBRARY.name:
        settings = {**OUTSIDE_SMPI, **settings}
    return Layer(settings, f"{word}:{value} ({origin})")


def words_of_environment() -> Mapping[str, str]:
    """Return the values of ``mpi`` and ``fabric`` that the environment chooses; empty if it chooses none."""
    return SMPI_WORDS if os.environ.get(SMPI_VARIABLE, "").lower() in ("1", "yes", "true", "on") else {}
