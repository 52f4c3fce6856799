"""What NumPy's operations take on this machine: what the model of operations on folded arrays is told (docs/memory.md).

Times are of the processor, medians of several, and of other programs than those that are then predicted.
"""

import mmap
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Machine", "measured", "median"]

_MIB = 1 << 20
_DISTANCES = [_MIB // 8, _MIB, 4 * _MIB, 8 * _MIB, 16 * _MIB, 32 * _MIB, 64 * _MIB, 256 * _MIB]
_HUGE = 4 * _MIB  # NumPy asks for huge pages from this size on
_VIEW = (1500, 1500)
_PRODUCT = 768


class Machine(NamedTuple):
    """Flop/s of products, and bytes/s: of what lies so far apart, through buffers, and of new memory."""

    speed: float
    bandwidths: tuple[float, ...]
    buffering: float
    small_pages: float
    huge_pages: float

    @property
    def settings(self) -> dict[str, str]:
        """Settings of a simulation by name."""
        rates = zip(_DISTANCES, self.bandwidths, strict=True)
        return {
            "smpi/memory-bandwidth": ";".join(f"{distance}:{rate:.4g}" for distance, rate in rates),
            "smpi/buffer-bandwidth": f"{self.buffering:.4g}",
            "smpi/new-memory-bandwidth": (
                f"0:{self.small_pages:.4g};{_HUGE - 1}:{self.small_pages:.4g};{_HUGE}:{self.huge_pages:.4g}"
            ),
        }


def measured() -> Machine:
    """This machine, now."""
    return Machine(
        _speed(),
        tuple(map(_bandwidth, _DISTANCES)),
        _buffering(),
        _new_memory(2 * _MIB, mmap.mmap),
        _new_memory(48 * _MIB, lambda _, size: np.empty(size, np.uint8)),
    )


def median(machines: list[Machine]) -> Machine:
    """What several measurements of one machine agree in."""
    speeds, bandwidths, *others = zip(*machines, strict=True)
    return Machine(
        statistics.median(speeds),
        tuple(map(statistics.median, zip(*bandwidths, strict=True))),
        *map(statistics.median, others),
    )


def _seconds(function: Callable[[], Any], repetitions: int = 9, times: int = 1) -> float:
    function()
    return statistics.median(_passed(function, times) for _ in range(repetitions))


def _seconds_more(function: Callable[[], Any], than: Callable[[], Any], times: int = 1) -> float:
    """By how much one takes longer than the other, both measured by turns: what slows the machine slows both."""
    function(), than()
    return statistics.median(_passed(function, times) - _passed(than, times) for _ in range(15))


def _passed(function: Callable[[], Any], times: int) -> float:
    start = time.thread_time()
    for _ in range(times):
        function()
    return (time.thread_time() - start) / times


def _bandwidth(distance: int) -> float:
    """Bytes/s of sums, copies and multiples of six arrays in turn, which have so many bytes together."""
    arrays = [np.full(distance // 48, 0.5) for _ in range(6)]
    a, b, c, d, e, f = arrays

    def pass_by() -> None:
        np.add(a, b, out=c)
        np.copyto(e, d)
        np.multiply(f, 0.5, out=f)

    return 7 * a.nbytes / _seconds(pass_by, times=max(1, 4 * _MIB // distance))


def _buffering() -> float:
    """Bytes/s at which operands that are inner parts of larger arrays pass through NumPy's buffers."""
    rows, columns = _VIEW
    first, second = (np.full((rows + 2, columns + 2), 0.5)[1:-1, 1:-1] for _ in range(2))
    whole, other, result = (np.full(_VIEW, 0.5) for _ in range(3))
    through = _seconds_more(lambda: np.add(first, second, out=result), lambda: np.add(whole, other, out=result))
    return 2 * whole.nbytes / through


def _new_memory(size: int, make: Callable[[int, int], Any]) -> float:
    """Bytes/s at which the kernel gives memory when it is first written."""

    def fill_new() -> None:
        np.frombuffer(make(-1, size), np.uint8).fill(1)

    there = np.full(size, 1, np.uint8)
    return size / _seconds_more(fill_new, lambda: there.fill(1), max(1, 16 * _MIB // size))


def _speed() -> float:
    """Flop/s of products of matrices."""
    blocks = np.random.default_rng(0).random((8, _PRODUCT, _PRODUCT))
    result = np.empty((_PRODUCT, _PRODUCT))

    def multiply() -> None:
        for a, b in zip(blocks[::2], blocks[1::2], strict=True):
            np.matmul(a, b, out=result)

    return 2 * _PRODUCT**3 * (len(blocks) // 2) / _seconds(multiply, 3)
