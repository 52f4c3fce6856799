"""Injected time: a rank says how long a computation takes instead of doing it."""

import time

from pysmpi.errors import SimulationError
from pysmpi.native import lib

__all__ = ["execute", "execute_flops", "is_simulated", "sleep"]


def is_simulated() -> bool:
    """Whether the caller is a rank of a simulation; false in a real run, and outside ranks."""
    return bool(lib.pysmpi_running_rank() >= 0)


def execute(seconds: float) -> None:
    """Compute for so many simulated seconds, which are never scaled; ranks that share a core slow each other down.

    In a real run nothing happens: a program that skips a computation in a simulation does it there.

    Raises:
        SimulationError: the duration is negative or not a number.
    """
    if not seconds >= 0:
        raise SimulationError(f"execute({seconds!r}): the duration must be zero or more seconds")
    if lib.pysmpi_running_rank() >= 0:
        lib.pysmpi_execute_seconds(seconds)


def execute_flops(flops: float) -> None:
    """Compute so many flops at the speed of the rank's simulated host; in a real run nothing happens.

    Raises:
        SimulationError: the amount is negative or not a number.
    """
    if not flops >= 0:
        raise SimulationError(f"execute_flops({flops!r}): the amount must be zero or more flops")
    if lib.pysmpi_running_rank() >= 0:
        lib.pysmpi_execute_flops(flops)


def sleep(seconds: float) -> None:
    """Do nothing for so many seconds, simulated ones in a simulation; no core is occupied meanwhile.

    Raises:
        SimulationError: the duration is negative or not a number.
    """
    if not seconds >= 0:
        raise SimulationError(f"sleep({seconds!r}): the duration must be zero or more seconds")
    if lib.pysmpi_running_rank() >= 0:
        lib.pysmpi_sleep(seconds)
    else:
        time.sleep(seconds)
