"""Choosing algorithms by option: ``smpi/coll-selector`` and ``smpi/OPERATION``."""

from collections.abc import Mapping

from pysmpi.errors import ConfigurationError, unknown
from pysmpi.native import ffi, lib

__all__ = ["OPERATIONS", "SELECTORS", "algorithms", "choose_algorithms"]

# The operations whose algorithm an option chooses.
OPERATIONS = (
    "gather", "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "reduce",
    "reduce_scatter", "scatter",
)  # fmt: skip

# Whose decision tables there are: SMPI's `default` selector (SimGrid 3.32, smpi_default_selector.cpp).
SELECTORS = ("default",)


def algorithms(operation: str) -> list[str]:
    """The names of an operation's algorithms, such as those of "allreduce"; empty when there is but one."""
    names: list[str] = []
    while (name := lib.pysmpi_algorithm_name(operation.encode(), len(names))) != ffi.NULL:
        names.append(ffi.string(name).decode())
    return names


def choose_algorithms(by_operation: Mapping[str, str]) -> None:
    """Has these algorithms carry out the operations from now on, wherever they are legal.

    Args:
        by_operation: algorithms by operation; one of `SELECTORS` leaves the choice to it.

    Raises:
        ConfigurationError: there is no algorithm of that name.
    """
    lib.pysmpi_choose_no_algorithms()
    for operation, name in by_operation.items():
        if name not in SELECTORS and lib.pysmpi_choose_algorithm(operation.encode(), name.encode()) != 0:
            valid = [*SELECTORS, *algorithms(operation)]
            raise ConfigurationError(f"smpi/{operation}: {unknown('algorithm', name, valid)}")
