"""Choosing algorithms by option: ``smpi/coll-selector`` and ``smpi/OPERATION``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pysmpi.errors import ConfigurationError, nearest
from pysmpi.native import ffi, lib

__all__ = [
    "OPERATIONS", "SELECTORS", "Algorithm", "algorithms", "choose_algorithms", "fallbacks", "parse_algorithm",
]  # fmt: skip


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


def _texts(at: Callable[[int], ffi.CData]) -> tuple[str, ...]:
    found: list[str] = []
    while (text := at(len(found))) != ffi.NULL:
        found.append(ffi.string(text).decode())
    return tuple(found)


# The operations whose algorithm an option chooses.
OPERATIONS = _texts(lib.pysmpi_operation_name)

# Whose decisions there are; the first is the default. (pysmpi/native/collectives/selectors)
SELECTORS = _texts(lib.pysmpi_selector_name)


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
        for index, algorithm in enumerate(_texts(lambda index: lib.pysmpi_algorithm_name(name, index)))
    ]


def parse_algorithm(operation: str, text: str) -> str:
    """The text, if it names an algorithm of the operation or a selector.

    Raises:
        ValueError: it does not.
    """
    names = [algorithm.name for algorithm in algorithms(operation)]
    general = re.sub(r"-[1-9]\d{0,8}$", "-k", text)
    if text in SELECTORS or (text in names and not text.endswith("-k")) or (general != text and general in names):
        return text
    match = nearest(text, [*names, *SELECTORS])
    raise ValueError(f"{text!r} is none of them" + (f"; did you mean {match!r}?" if match else ""))


def choose_algorithms(selector: str, by_operation: Mapping[str, str]) -> None:
    """Has the selector choose the algorithms from now on, but for these operations.

    Args:
        selector: one of `SELECTORS`.
        by_operation: algorithms or selectors by operation.

    Raises:
        ConfigurationError: there is no selector or algorithm of that name.
    """
    if lib.pysmpi_choose_selector(selector.encode()) != 0:
        raise ConfigurationError(f"smpi/coll-selector: {selector!r} is none of {', '.join(SELECTORS)}")
    for operation, name in by_operation.items():
        if lib.pysmpi_choose_algorithm(operation.encode(), name.encode()) != 0:
            try:
                parse_algorithm(operation, name)
            except ValueError as error:
                raise ConfigurationError(f"smpi/{operation}: {error}") from error


def fallbacks() -> tuple[str, ...]:
    """Which algorithms have turned to others since algorithms were last chosen, and why; a sentence each."""
    return _texts(lib.pysmpi_fallback)
