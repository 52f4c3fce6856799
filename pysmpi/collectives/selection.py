"""Choosing algorithms by option: ``smpi/coll-selector`` and ``smpi/OPERATION``."""

from collections.abc import Mapping

from pysmpi.errors import ConfigurationError, unknown
from pysmpi.native import ffi, lib

__all__ = ["SELECTORS", "algorithms", "choose"]

# Whose decision tables there are: SMPI's `default` selector (SimGrid 3.32, smpi_default_selector.cpp).
SELECTORS = ("default",)


def algorithms(operation: str) -> list[str]:
    """The names of the operation's algorithms, such as those of "allreduce"; empty when it has but one."""
    names = []
    while (name := lib.pysmpi_algorithm_name(operation.encode(), len(names))) != ffi.NULL:
        names.append(ffi.string(name).decode())
    return names


def choose(selector: str, by_operation: Mapping[str, str]) -> None:
    """Has the selector choose algorithms from now on, and those named be used wherever they are legal.

    Args:
        selector: one of `SELECTORS`.
        by_operation: algorithms by operation; the selector decides where the name is empty or a selector's.

    Raises:
        ConfigurationError: there is no selector or algorithm of a name.
    """
    lib.pysmpi_choose_no_algorithms()
    if selector not in SELECTORS:
        raise ConfigurationError(f"smpi/coll-selector: {unknown('selector', selector, SELECTORS)}")
    for operation, name in by_operation.items():
        if name == "" or name in SELECTORS:
            continue
        if lib.pysmpi_choose_algorithm(operation.encode(), name.encode()) != 0:
            valid = [*SELECTORS, *algorithms(operation)]
            raise ConfigurationError(f"smpi/{operation}: {unknown('algorithm', name, valid)}")
