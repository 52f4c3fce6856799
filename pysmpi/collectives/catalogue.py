"""The algorithms and selectors that there are, as the native catalogue has them."""

from collections.abc import Callable
from dataclasses import dataclass

from pysmpi.native import ffi, lib

__all__ = ["OPERATIONS", "SELECTORS", "Algorithm", "algorithms", "texts"]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A collective algorithm.

    Attributes:
        operation: what it carries out: "allreduce".
        name: SMPI's name where it has one. One that ends in "-k" is called with a number: "ring-k" as "ring-4".
        shape: who talks to whom.
        rounds: how many messages follow one another, on P ranks.
        traffic: bytes that the busiest rank sends; n is a rank's buffer, or one block where there is one a rank.
    """

    operation: str
    name: str
    shape: str
    rounds: str
    traffic: str


def texts(at: Callable[[int], ffi.CData]) -> tuple[str, ...]:
    """What the native function of a number returns for 0, 1 …, up to the null after the last."""
    found: list[str] = []
    while (text := at(len(found))) != ffi.NULL:
        found.append(ffi.string(text).decode())
    return tuple(found)


# The operations whose algorithm an option chooses.
OPERATIONS = texts(lib.pysmpi_operation_name)

# Whose decisions there are; the first is the default. (pysmpi/native/collectives/selectors)
SELECTORS = texts(lib.pysmpi_selector_name)


def algorithms(operation: str) -> list[Algorithm]:
    """An operation's algorithms, such as those of "allreduce"."""
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
