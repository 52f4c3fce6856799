"""Injected time: a rank states how long a computation takes instead of doing it."""

import contextlib
import math
import time

from pysmpi.errors import SimulationError
from pysmpi.native import lib
from pysmpi.simulation.compute import speed_independent

__all__ = ["execute", "execute_flops", "is_simulated", "sleep", "untimed", "untimed_program"]


def is_simulated() -> bool:
    """Return whether the caller is a rank of a simulation; False in a real run and outside ranks."""
    return bool(lib.pysmpi_running_rank() >= 0)


def execute(seconds: float, *, speed: float | None = None) -> None:
    """Compute for a number of simulated seconds; ranks that share a core slow each other down.

    In a real run the call does nothing: the program does the computation there itself.

    Args:
        seconds: duration of the computation.
        speed: speed in flop/s of a core of the host on which the duration was measured. The duration is multiplied by
            this speed and divided by the speed of the simulated host. Without `speed`, the duration is the same on
            every host.

    Raises:
        SimulationError: the duration is negative, infinite or not a number; the speed is not a number above 0.
    """
    _check("execute", seconds, "duration", "seconds")
    if speed is not None and not 0 < speed < math.inf:
        raise SimulationError(f"execute(speed={speed!r}): invalid speed; give a finite number of flop/s above 0")
    if lib.pysmpi_running_rank() < 0:
        return
    if speed is None:
        speed_independent.total.declared += seconds
        lib.pysmpi_execute_seconds(seconds)
    else:
        lib.pysmpi_execute_flops(seconds * speed)


def execute_flops(flops: float, *, memory_bytes: float = 0.0) -> None:
    """Compute a number of flops at the speed of the rank's simulated host; in a real run, do nothing.

    With `memory_bytes`, the computation takes the longer of the flops and of the memory traffic (roofline model: S.
    Williams, A. Waterman, D. Patterson, Communications of the ACM 52(4), 2009). Where the host has the property
    ``memory_bandwidth``, the traffic shares it with other ranks and with messages.

    Args:
        flops: number of floating-point operations.
        memory_bytes: bytes that are read from memory or written to it, not those that caches provide.

    Raises:
        SimulationError: an amount is negative, infinite or not a number.
    """
    _check("execute_flops", flops, "amount", "flops")
    _check("execute_flops", memory_bytes, "memory traffic", "bytes", "memory_bytes=")
    rank = lib.pysmpi_running_rank()
    if rank < 0:
        return
    lib.pysmpi_count(flops, 0.0, memory_bytes)
    if memory_bytes > 0.0:
        from pysmpi.simulation.compute.folded.operation_time import seconds_in_memory  # its package imports this module

        computing, moving = flops / lib.pysmpi_speed(rank), seconds_in_memory(memory_bytes, rank)
        speed_independent.total.operations += 1
        speed_independent.total.memory += moving if moving >= computing else 0.0
        lib.pysmpi_execute_bytes(memory_bytes, max(computing, moving))
    else:
        lib.pysmpi_execute_flops(flops)


def sleep(seconds: float) -> None:
    """Sleep for a number of seconds (of simulated time in a simulation) without occupying a core.

    Raises:
        SimulationError: the duration is negative, infinite or not a number.
    """
    _check("sleep", seconds, "duration", "seconds")
    if lib.pysmpi_running_rank() >= 0:
        lib.pysmpi_sleep(seconds)
    else:
        time.sleep(seconds)


def _check(function: str, value: float, what: str, unit: str, name: str = "") -> None:
    if not 0 <= value < math.inf:
        raise SimulationError(
            f"{function}({name}{value!r}): invalid {what}; give a finite number of {unit}, zero or more"
        )


class _Untimed(contextlib.ContextDecorator):
    """Context manager of `untimed`. A generator instead of this class would take 300 bytes more in each rank."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = -1
        if is_simulated():
            lib.pysmpi_account_computation()
            self._before = lib.pysmpi_measure_computation(0)

    def __exit__(self, *_: object) -> None:
        if self._before >= 0:
            lib.pysmpi_measure_computation(self._before)

    def _recreate_cm(self) -> "_Untimed":
        return _Untimed()


def untimed() -> contextlib.AbstractContextManager[None]:
    """Exclude the computation in a block from simulated time; injected time and MPI calls in it still count.

    Use this context in programs that inject the time of everything they compute. In a real run and outside ranks it has
    no effect.
    """
    return _Untimed()


def untimed_program() -> None:
    """Exclude all computation of this rank from simulated time: since its last MPI call, and until it ends.

    Injected time and MPI calls still count. Call this first in a program that injects the time of everything it
    computes, before it imports mpi4py: its simulated time is then the same to the bit in every run. In a real run and
    outside ranks the call has no effect.
    """
    lib.pysmpi_measure_computation(0)
