"""Measured intervals with invented lengths, so that tests of measured computation need no clock."""

from collections.abc import Callable

from pysmpi.native import ffi, lib

__all__ = ["Clock", "invent"]

Clock = Callable[[int, str], tuple[float, float]]
"""Function that returns an interval's seconds on the processor clock and on the wall clock, given the thread's number
and the MPI function after the interval."""

_kept: list[object] = []  # cffi's callbacks live as long as their objects


def invent(clock: Clock) -> None:
    """Let the running simulation take the lengths of its measured intervals from a function."""

    @ffi.callback("void(int32_t, const char *, double *, double *)")
    def answer(thread: int, call: object, seconds: list[float], wall: list[float]) -> None:
        seconds[0], wall[0] = clock(thread, ffi.string(call).decode())

    _kept.append(answer)
    lib.pysmpi_invent_intervals(answer)
