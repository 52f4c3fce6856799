"""Timed operations: the NumPy operations that docs/memory.md models, matrix products, and calls of mpi4py.

Each function returns an amount (flop, bytes or calls) and the median of several processor times in seconds. The
processor clock excludes time in which other programs use the core.
"""

import mmap
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["HUGE", "KERNELS", "bandwidth"]

Figure = tuple[float, float]

_MIB = 1 << 20
HUGE = 4 * _MIB
"""Size in bytes from which NumPy uses huge pages."""

_VIEW = (1500, 1500)
_PRODUCT = 768
_CALLS = 1000
_COMBINED = 8192  # numbers in an operand; MPI libraries reduce long operands in pieces that stay in caches
_FINEST = 1e-9  # seconds; the clock cannot resolve a smaller difference


def _seconds(function: Callable[[], Any], repetitions: int = 9, times: int = 1) -> float:
    function()
    return max(statistics.median(_passed(function, times) for _ in range(repetitions)), _FINEST)


def _seconds_more(function: Callable[[], Any], than: Callable[[], Any], times: int = 1) -> float:
    """Return the median seconds by which `function` takes longer than `than`. Calls alternate, so that disturbances
    affect both alike."""
    function(), than()
    return max(statistics.median(_passed(function, times) - _passed(than, times) for _ in range(15)), _FINEST)


def _passed(function: Callable[[], Any], times: int) -> float:
    start = time.thread_time()
    for _ in range(times):
        function()
    return (time.thread_time() - start) / times


def bandwidth(distance: int) -> Figure:
    """Return the bytes and seconds of one sum, copy and scaling of six arrays that have `distance` bytes together."""
    arrays = [np.full(distance // 48, 0.5) for _ in range(6)]
    a, b, c, d, e, f = arrays

    def pass_by() -> None:
        np.add(a, b, out=c)
        np.copyto(e, d)
        np.multiply(f, 0.5, out=f)

    return 7.0 * a.nbytes, _seconds(pass_by, times=max(1, 4 * _MIB // distance))


def _buffering() -> Figure:
    """Return the bytes of two operands with gaps (inner parts of arrays), and the seconds that NumPy needs to buffer
    them."""
    rows, columns = _VIEW
    first, second = (np.full((rows + 2, columns + 2), 0.5)[1:-1, 1:-1] for _ in range(2))
    whole, other, result = (np.full(_VIEW, 0.5) for _ in range(3))
    through = _seconds_more(lambda: np.add(first, second, out=result), lambda: np.add(whole, other, out=result))
    return 2.0 * whole.nbytes, through


def _new_memory(size: int, make: Callable[[int, int], Any]) -> Figure:
    """Return the bytes of an array in memory that the kernel has just provided, and the extra seconds of its first
    write."""

    def fill_new() -> None:
        np.frombuffer(make(-1, size), np.uint8).fill(1)

    there = np.full(size, 1, np.uint8)
    return float(size), _seconds_more(fill_new, lambda: there.fill(1), max(1, 16 * _MIB // size))


def _speed() -> Figure:
    """Return the number of operations (flop) and the seconds of matrix products."""
    blocks = np.random.default_rng(0).random((8, _PRODUCT, _PRODUCT))
    result = np.empty((_PRODUCT, _PRODUCT))

    def multiply() -> None:
        for a, b in zip(blocks[::2], blocks[1::2], strict=True):
            np.matmul(a, b, out=result)

    return 2.0 * _PRODUCT**3 * (len(blocks) // 2), _seconds(multiply, 3)


def _combination() -> Figure:
    """Return the bytes of one operand and the seconds of a sum in place, the arithmetic of MPI's reductions."""
    mine, other = (np.full(_COMBINED, 0.5) for _ in range(2))
    return float(mine.nbytes), _seconds(lambda: np.add(mine, other, out=other), times=_CALLS)


def _call() -> Figure:
    """Return 1 (call) and the seconds of mpi4py's Send to MPI_PROC_NULL, which hardly uses the MPI library."""
    from mpi4py import MPI

    message = bytearray(8)
    world = MPI.COMM_SELF
    return 1.0, _seconds(lambda: world.Send(message, dest=MPI.PROC_NULL), times=_CALLS)


KERNELS: dict[str, Callable[[], Figure]] = {
    "speed": _speed,
    "buffering": _buffering,
    "new memory": lambda: _new_memory(2 * _MIB, mmap.mmap),
    "new huge memory": lambda: _new_memory(48 * _MIB, lambda _, size: np.empty(size, np.uint8)),
    "combination": _combination,
    "call": _call,
}
"""Functions that measure a quantity on one core, by name of the quantity."""
