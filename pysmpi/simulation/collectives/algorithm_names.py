"""Lists of the available collective algorithms and of the selectors (rules that choose among them)."""

from collections.abc import Callable
from dataclasses import dataclass

from pysmpi.native import ffi, lib

__all__ = ["OPERATIONS", "SELECTORS", "Algorithm", "algorithms", "texts"]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A collective algorithm.

    Attributes:
        operation: collective, such as "allreduce".
        name: SMPI's name if it has one. A name that ends in "-k" is used with a number: "ring-k" as "ring-4".
        shape: communication pattern.
        rounds: formula for the number of consecutive messages on P ranks.
        traffic: formula for the bytes that the busiest of P ranks sends. n stands for the size of a rank's buffer, or
            of one block if the buffer has a block for each rank.
    """

    operation: str
    name: str
    shape: str
    rounds: str
    traffic: str


def texts(at: Callable[[int], ffi.CData]) -> tuple[str, ...]:
    """Return all strings of a list in native code: the results of `at` for 0, 1, 2 and so on, up to the first null."""
    found: list[str] = []
    while (text := at(len(found))) != ffi.NULL:
        found.append(ffi.string(text).decode())
    return tuple(found)


# Operations whose algorithm can be chosen by an option.
OPERATIONS = texts(lib.pysmpi_operation_name)

# Selectors: rules that choose algorithms, such as those of an MPI library (pysmpi/native/collectives/selectors). The
# first one is the default.
SELECTORS = texts(lib.pysmpi_selector_name)


def algorithms(operation: str) -> list[Algorithm]:
    """Return the algorithms of an operation such as "allreduce"."""
    name = operation.encode()

    def text(of: Callable[[bytes, int], ffi.CData], index: int) -> str:
        return str(ffi.string(of(name, index)), "utf-8")

    return [
        Algorithm(
            operation,
            algorithm,
            shape=text(lib.pysmpi_algorithm_shape, index),
            rounds=text(lib.pysmpi_algorithm_rounds, index),
            traffic=text(lib.pysmpi_algorithm_traffic, index),
        )
        for index, algorithm in enumerate(texts(lambda index: lib.pysmpi_algorithm_name(name, index)))
    ]
