"""Injected time: a rank says how long a computation takes instead of doing it."""

import contextlib
import math
import time
from collections.abc import Iterator

from pysmpi.errors import SimulationError
from pysmpi.native import lib

__all__ = ["execute", "execute_flops", "is_simulated", "sleep", "untimed"]


def is_simulated() -> bool:
    """Whether the caller is a rank of a simulation; false in a real run, and outside ranks."""
    return bool(lib.pysmpi_running_rank() >= 0)


def execute(seconds: float) -> None:
    """Compute for so many simulated seconds, which are never scaled; ranks that share a core slow each other down.

    In a real run nothing happens: a program that skips a computation in a simulation does it there.

    Raises:
        SimulationError: the duration is negative, infinite or not a number.
    """
    _check("execute", seconds, "duration", "seconds")
    if lib.pysmpi_running_rank() >= 0:
        lib.pysmpi_execute_seconds(seconds)


def execute_flops(flops: float) -> None:
    """Compute so many flops at the speed of the rank's simulated host; in a real run nothing happens.

    Raises:
        SimulationError: the amount is negative, infinite or not a number.
    """
    _check("execute_flops", flops, "amount", "flops")
    if lib.pysmpi_running_rank() >= 0:
        lib.pysmpi_execute_flops(flops)


def sleep(seconds: float) -> None:
    """Do nothing for so many seconds, simulated ones in a simulation; no core is occupied meanwhile.

    Raises:
        SimulationError: the duration is negative, infinite or not a number.
    """
    _check("sleep", seconds, "duration", "seconds")
    if lib.pysmpi_running_rank() >= 0:
        lib.pysmpi_sleep(seconds)
    else:
        time.sleep(seconds)


def _check(function: str, value: float, what: str, unit: str) -> None:
    if not 0 <= value < math.inf:
        raise SimulationError(f"{function}({value!r}): the {what} must be zero or more {unit}, and finite")


@contextlib.contextmanager
def untimed() -> Iterator[None]:
    """A block of code that takes no simulated time but what it injects and what its MPI calls take.

    For programs that declare all they compute. In a real run, and outside ranks, the block just runs.
    """
    if not is_simulated():
        yield
        return
    lib.pysmpi_account_computation()
    before = lib.pysmpi_measure_computation(0)
    try:
        yield
    finally:
        lib.pysmpi_measure_computation(before)
